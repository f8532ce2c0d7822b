internal import Glibc
package import Platform

/// Where a file's bytes come from, a block at a time.
package protocol ByteSource: AnyObject {
    /// Fills some or all of the buffer; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
}

/// The bytes of an open descriptor.
package final class DescriptorSource: ByteSource {
    private let descriptor: Int32
    private let name: String
    private let interrupt: Interrupt?

    /// Reads from a descriptor that stays the caller's to close.
    ///
    /// `name` is for error messages; `interrupt` ends a wait for a slow writer.
    package init(_ descriptor: Int32, name: String, interrupt: Interrupt? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.interrupt = interrupt
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            if let interrupt {
                let ready = Poll.wait(
                    reading: [interrupt.descriptor, descriptor], milliseconds: -1)
                if ready.contains(interrupt.descriptor) {
                    throw SystemError("read \(name)", code: EINTR)
                }
                if ready.isEmpty { continue }
            }
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: _ = Poll.wait(reading: [descriptor], milliseconds: -1)
            default: throw SystemError("read \(name)", code: errno)
            }
        }
    }
}

/// Bytes in memory, given a few at a time where `step` says so.
package final class MemorySource: ByteSource {
    private let bytes: [UInt8]
    private let step: Int
    private var offset = 0

    package init(_ bytes: [UInt8], step: Int = .max) {
        self.bytes = bytes
        self.step = step
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = min(step, buffer.count, bytes.count - offset)
        buffer.copyBytes(from: bytes[offset..<(offset + count)])
        offset += count
        return count
    }
}
