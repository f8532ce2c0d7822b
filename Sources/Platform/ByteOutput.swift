internal import CSystem
internal import Glibc

/// A buffered writer on a descriptor that reports every failure.
///
/// Bytes reach the descriptor when the buffer is full or on `flush()`; what was not flushed is lost
/// with the object. After one failure every later call fails the same way.
package final class ByteOutput {
    private let descriptor: Int32
    private let name: String
    private let buffer: UnsafeMutableRawBufferPointer
    private var used = 0
    private var failure: SystemError?

    /// - Parameters:
    ///   - descriptor: Stays the caller's to close.
    ///   - name: For error messages: "standard output" or a file's path.
    ///   - capacity: Bytes kept before they are written.
    package init(_ descriptor: Int32, name: String, capacity: Int = 64 * 1024) {
        self.descriptor = descriptor
        self.name = name
        buffer = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { buffer.deallocate() }

    /// Bytes accepted and not yet written.
    package var pending: Int { used }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        if let failure { throw failure }
        if bytes.count > buffer.count - used {
            try flush()
            if bytes.count >= buffer.count { return try send(bytes) }
        }
        guard let source = bytes.baseAddress else { return }
        (buffer.baseAddress.unsafelyUnwrapped + used).copyMemory(
            from: source, byteCount: bytes.count)
        used += bytes.count
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.withUnsafeBytes { (raw) throws(SystemError) in try write(raw) }
    }

    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) {
        try bytes.span.withUnsafeBytes { (raw) throws(SystemError) in try write(raw) }
    }

    package func write(_ text: String) throws(SystemError) {
        try text.utf8Span.span.withUnsafeBytes { (raw) throws(SystemError) in try write(raw) }
    }

    package func write(byte: UInt8) throws(SystemError) {
        if used == buffer.count { try flush() }
        if let failure { throw failure }
        buffer[used] = byte
        used += 1
    }

    /// Writes out what is buffered.
    ///
    /// - Throws: Kind `.closedPipe` when nobody reads any more, `.noSpace` on a full disk.
    package func flush() throws(SystemError) {
        if let failure { throw failure }
        guard used > 0 else { return }
        let pending = UnsafeRawBufferPointer(rebasing: buffer[..<used])
        used = 0
        try send(pending)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
            let wrote = Glibc.write(descriptor, start, rest.count)
            if wrote >= 0 {
                rest = rest.dropFirst(wrote)
            } else if errno == EAGAIN {
                _ = Poll.wait(reading: [], writing: [descriptor], milliseconds: -1)
            } else if errno != EINTR {
                let error = SystemError("write to \(name)", code: errno)
                failure = error
                throw error
            }
        }
    }
}
