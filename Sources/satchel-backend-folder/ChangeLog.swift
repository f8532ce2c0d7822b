internal import CSystem
internal import Glibc
internal import Platform

/// The folder's log: one line an applied operation, only ever appended to.
///
/// Readers need no lock: they take whole lines only, and a line is whole once its line end is
/// there. Repair, under the lock, cuts off nothing but half a line.
final class ChangeLog {
    private let directory: Int32
    /// The end as it was last seen.
    private var known = LogPosition.start
    private var knownSize: Int64 = -1

    static let file = "log.ndjson"
    /// Bytes before a position that its check is made of: more than a usual line.
    private static let checked: Int64 = 256

    /// - Parameter directory: The folder's descriptor, open as long as the log is used.
    init(in directory: Int32) { self.directory = directory }

    /// The end of the last whole line.
    func head() throws(SystemError) -> LogPosition {
        guard let file = try openForReading() else {
            knownSize = -1
            return .start
        }
        let size = try size(of: file.number)
        guard size != knownSize else { return known }
        known = try findHead(in: file.number, size: size)
        knownSize = size
        return known
    }

    /// True when the log still holds the line that `position` follows.
    func holds(_ position: LogPosition) throws(SystemError) -> Bool {
        if position.offset == 0 { return position.seq == 0 }
        guard let file = try openForReading(),
            try size(of: file.number) >= position.offset
        else { return false }
        return try check(before: position.offset, in: file.number) == position.check
    }

    /// The position that follows the line `seq` which ends before `offset`.
    func position(seq: Int64, offset: Int64) throws(SystemError) -> LogPosition {
        guard let file = try openForReading() else { return .start }
        return LogPosition(
            seq: seq, offset: offset, check: try check(before: offset, in: file.number))
    }

    /// Hands over whole lines from `offset` on, each with the offset after it.
    ///
    /// - Parameters:
    ///   - offset: Where a line begins.
    ///   - body: Gets a line without its line end; false stops.
    /// - Throws: What `body` throws, and when the log cannot be read.
    func scan(
        from offset: Int64,
        _ body: (_ line: UnsafeRawBufferPointer, _ end: Int64) throws(SystemError) -> Bool
    ) throws(SystemError) {
        guard let file = try openForReading() else { return }
        guard lseek(file.number, off_t(offset), SEEK_SET) >= 0 else {
            throw SystemError("read \(Self.file)", code: errno)
        }
        let reader = LineReader(file.number, name: Self.file)
        var end = offset
        while case .line(let line) = try reader.next(), reader.endedInNewline {
            end += Int64(line.count) + 1
            guard try body(line, end) else { return }
        }
    }

    /// Adds whole lines; the caller holds the lock and has called `repair`.
    func append(_ lines: [UInt8]) throws(SystemError) {
        let number = openat(directory, Self.file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError("write \(Self.file)", code: errno) }
        let file = Descriptor(taking: number)
        let output = ByteOutput(file.number, name: Self.file)
        try output.write(lines)
        try output.flush()
    }

    /// Cuts off the half line that a crash left at the end; the caller holds the lock.
    func repair() throws(SystemError) {
        let number = openat(directory, Self.file, O_RDWR | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return }
            throw SystemError("open \(Self.file)", code: errno)
        }
        let file = Descriptor(taking: number)
        let size = try size(of: file.number)
        let end = try lastLineEnd(in: file.number, size: size)
        if end < size, ftruncate(file.number, off_t(end)) != 0 {
            throw SystemError("repair \(Self.file)", code: errno)
        }
    }
}

extension ChangeLog {
    private func openForReading() throws(SystemError) -> Descriptor? {
        let number = openat(directory, Self.file, O_RDONLY | O_CLOEXEC)
        if number >= 0 { return Descriptor(taking: number) }
        if errno == ENOENT { return nil }
        throw SystemError("read \(Self.file)", code: errno)
    }

    private func size(of file: Int32) throws(SystemError) -> Int64 {
        var info = stat()
        guard fstat(file, &info) == 0 else { throw SystemError("read \(Self.file)", code: errno) }
        return Int64(info.st_size)
    }

    private func bytes(
        _ file: Int32, from start: Int64, to end: Int64
    ) throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(end - start)) { buffer, filled in
            while filled < buffer.count {
                let got = pread(
                    file, buffer.baseAddress.unsafelyUnwrapped + filled, buffer.count - filled,
                    off_t(start) + off_t(filled))
                if got > 0 { filled += got } else if got == 0 { return }
                if got < 0, errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw SystemError("read \(Self.file)", code: failure) }
        return bytes
    }

    private func check(before offset: Int64, in file: Int32) throws(SystemError) -> String {
        Checksum.of(try bytes(file, from: max(0, offset - Self.checked), to: offset))
    }

    /// The offset after the last line end; 0 when there is none.
    private func lastLineEnd(in file: Int32, size: Int64) throws(SystemError) -> Int64 {
        var end = size
        while end > 0 {
            let start = max(0, end - 65536)
            let block = try bytes(file, from: start, to: end)
            if let last = block.lastIndex(of: UInt8(ascii: "\n")) { return start + Int64(last) + 1 }
            end = start
        }
        return 0
    }

    /// The last line that is one of a log; whole lines of nonsense after it are passed over.
    private func findHead(in file: Int32, size: Int64) throws(SystemError) -> LogPosition {
        let end = try lastLineEnd(in: file, size: size)
        guard end > 0 else { return .start }
        var lineEnd = end - 1
        while lineEnd > 0 {
            let start = try lastLineEnd(in: file, size: lineEnd)
            let line = try bytes(file, from: start, to: lineEnd)
            if let seq = line.withUnsafeBytes({ LogLine($0)?.seq }) {
                return LogPosition(seq: seq, offset: end, check: try check(before: end, in: file))
            }
            lineEnd = start - 1
        }
        return LogPosition(seq: 0, offset: end, check: try check(before: end, in: file))
    }
}
