package import Platform

/// Where rendered bytes go: standard output, a pager, or memory.
package protocol ByteSink: AnyObject {
    /// - Throws: Kind `.closedPipe` when nobody reads any more: end quietly with 141.
    func write(_ bytes: [UInt8]) throws(SystemError)
    func write(_ text: String) throws(SystemError)
    /// Hands everything written so far on to whoever reads.
    func flush() throws(SystemError)
}

extension ByteSink {
    package func write(_ text: String) throws(SystemError) { try write(Array(text.utf8)) }
}

extension ByteOutput: ByteSink {}

/// Keeps what is written: for tests, and for output that must wait until something is durable.
package final class MemoryOutput: ByteSink {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package func write(_ more: [UInt8]) throws(SystemError) { bytes += more }
    package func write(_ text: String) throws(SystemError) { bytes += text.utf8 }
    package func flush() throws(SystemError) {}

    /// What was written since the last call.
    package func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
