internal import CSystem
internal import Glibc

/// Reads lines from a descriptor without copying them.
///
/// Only LF ends a line: a carriage return is data. Bytes are not checked to be UTF-8.
package final class LineReader {
    package enum Next {
        /// The bytes of a line without its LF, valid until the next call.
        case line(UnsafeRawBufferPointer)
        case end
        /// The interrupting descriptor became readable before a whole line was there.
        case interrupted
    }

    /// How many lines were given so far; also the number of the latest, counted from 1.
    package private(set) var lineNumber = 0
    /// False after the last line of an input that stops in the middle of a line.
    package private(set) var endedInNewline = true

    private let descriptor: Int32
    private let name: String
    private let limit: Int
    private let interrupting: Int32?
    private let block = 256 * 1024
    private var buffer: UnsafeMutableRawBufferPointer
    /// The unread bytes are `start..<end`; those before `scanned` hold no LF.
    private var start = 0
    private var scanned = 0
    private var end = 0
    private var atEnd = false

    /// - Parameters:
    ///   - descriptor: Stays the caller's to close.
    ///   - name: For error messages: a file's path or "<stdin>".
    ///   - limit: The longest line taken, in bytes.
    ///   - interrupting: A descriptor that ends a wait by becoming readable.
    package init(
        _ descriptor: Int32, name: String, limit: Int = 16 << 20, interrupting: Int32? = nil
    ) {
        self.descriptor = descriptor
        self.name = name
        self.limit = limit
        self.interrupting = interrupting
        buffer = .allocate(byteCount: block, alignment: 64)
    }

    deinit { buffer.deallocate() }

    /// True when `next()` would answer without reading.
    package var hasBufferedLine: Bool {
        scan() != nil || (atEnd && start < end)
    }

    /// True when `next()` would answer, or at least read something, without waiting.
    package var isReady: Bool { hasBufferedLine || atEnd || Poll.isReadable(descriptor) }

    /// The next line.
    ///
    /// - Throws: Kind `.tooLarge` for a line over the limit.
    package func next() throws(SystemError) -> Next {
        while true {
            if let newline = scan() {
                let line = bytes(start, newline)
                start = newline + 1
                scanned = start
                lineNumber += 1
                endedInNewline = true
                guard line.count <= limit else { throw tooLong() }
                return .line(line)
            }
            guard end - start <= limit else {
                lineNumber += 1
                throw tooLong()
            }
            if atEnd {
                guard start < end else { return .end }
                let line = bytes(start, end)
                start = end
                scanned = end
                lineNumber += 1
                endedInNewline = false
                return .line(line)
            }
            guard try fill() else { return .interrupted }
        }
    }
}

extension LineReader {
    /// Where the first unread LF is, if it was read already.
    private func scan() -> Int? {
        guard scanned < end, let base = buffer.baseAddress else { return nil }
        guard let found = memchr(base + scanned, 10, end - scanned) else {
            scanned = end
            return nil
        }
        let offset = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        scanned = offset
        return offset
    }

    private func bytes(_ from: Int, _ to: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[from..<to])
    }

    private func tooLong() -> SystemError {
        SystemError(
            code: EMSGSIZE, message: "\(name):\(lineNumber): the line is longer than \(limit) bytes"
        )
    }

    /// Reads one block; false when interrupted instead.
    private func fill() throws(SystemError) -> Bool {
        makeRoom()
        while true {
            if let interrupting {
                let ready = Poll.wait(reading: [interrupting, descriptor], milliseconds: -1)
                if ready.contains(interrupting) { return false }
                if ready.isEmpty { continue }
            }
            let target = buffer.baseAddress.unsafelyUnwrapped + end
            let got = Glibc.read(descriptor, target, buffer.count - end)
            if got > 0 {
                end += got
                return true
            }
            if got == 0 {
                atEnd = true
                return true
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: _ = Poll.wait(reading: [descriptor], milliseconds: -1)
            default: throw SystemError("read \(name)", code: errno)
            }
        }
    }

    /// Moves the unread bytes to the front and makes space for at least half a block behind them.
    private func makeRoom() {
        let count = end - start
        if start > 0 {
            buffer.baseAddress.unsafelyUnwrapped.copyMemory(
                from: buffer.baseAddress.unsafelyUnwrapped + start, byteCount: count)
            scanned -= start
            start = 0
            end = count
        }
        guard buffer.count - end < block / 2 else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: buffer.count * 2, alignment: 64)
        larger.copyMemory(from: bytes(0, end))
        buffer.deallocate()
        buffer = larger
    }
}
