internal import CSystem
internal import Glibc
internal import Platform

/// The folder's log: one line an applied operation, the oldest of them cut off now and then.
///
/// Readers need no lock: they take whole lines only, and a line is whole once its line end is
/// there. Repair, under the lock, cuts off nothing but half a line. A cut puts another file in the
/// log's place; who reads has the file that was there, and offsets mean the same in both.
final class ChangeLog {
    private let directory: Int32
    /// The end as it was last seen, and in which state of the file.
    private var known: (head: LogPosition, cut: LogCut, end: Int64)?

    static let file = "log.ndjson"
    /// A link in its place is not followed, a pipe not waited for.
    private let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    /// Bytes before a position that its check is made of: more than a usual line.
    private static let checked: Int64 = 256

    /// - Parameter directory: The folder's descriptor, open as long as the log is used.
    init(in directory: Int32) { self.directory = directory }

    /// The end of the last whole line.
    func head() throws(SystemError) -> LogPosition {
        guard let file = try LogFile.open(in: directory) else {
            known = nil
            return .start
        }
        if let known, known.cut == file.cut, known.end == file.end { return known.head }
        let head = try findHead(in: file)
        known = (head, file.cut, file.end)
        return head
    }

    /// What was cut off it.
    func cut() throws(SystemError) -> LogCut {
        guard let file = try LogFile.open(in: directory) else { return .none }
        return file.cut
    }

    /// True when the log still holds the line that `position` follows.
    func holds(_ position: LogPosition) throws(SystemError) -> Bool {
        guard let file = try LogFile.open(in: directory) else {
            return position.offset == 0 && position.seq == 0
        }
        if position.offset == 0 { return position.seq == 0 && file.cut == .none }
        // A check that reaches behind the cut can no longer be made.
        guard max(0, position.offset - Self.checked) >= file.cut.offset,
            position.offset <= file.end
        else { return false }
        return try check(before: position.offset, in: file) == position.check
    }

    /// The position that follows the line `seq` which ends before `offset`.
    func position(seq: Int64, offset: Int64) throws(SystemError) -> LogPosition {
        guard let file = try LogFile.open(in: directory) else { return .start }
        return LogPosition(seq: seq, offset: offset, check: try check(before: offset, in: file))
    }

    /// Hands over whole lines from `offset` on, each with the offset after it.
    ///
    /// - Parameters:
    ///   - offset: Where a line begins; nil for the first line the log still has.
    ///   - body: Gets a line without its line end; false stops.
    /// - Throws: What `body` throws, and when the log cannot be read or was cut behind `offset`.
    func scan(
        from offset: Int64?,
        _ body: (_ line: UnsafeRawBufferPointer, _ end: Int64) throws(SystemError) -> Bool
    ) throws(SystemError) {
        guard let file = try LogFile.open(in: directory) else { return }
        var end = offset ?? file.cut.offset
        guard end >= file.cut.offset else {
            throw SystemError(
                code: ESTALE, message: "\(Self.file) was cut short while it was being read")
        }
        guard lseek(file.descriptor.number, off_t(file.place(of: end)), SEEK_SET) >= 0 else {
            throw SystemError("read \(Self.file)", code: errno)
        }
        let reader = LineReader(file.descriptor.number, name: Self.file)
        while case .line(let line) = try reader.next(), reader.endedInNewline {
            end += Int64(line.count) + 1
            guard try body(line, end) else { return }
        }
    }

    /// The line that ends before `end`; nil when the log does not have it any more.
    func line(before end: Int64) throws(SystemError) -> LogLine? {
        guard let file = try LogFile.open(in: directory), end > file.cut.offset, end <= file.end
        else { return nil }
        let start = try file.lastLineEnd(before: end - 1)
        return try file.bytes(from: start, to: end - 1).withUnsafeBytes { LogLine($0) }
    }

    /// Adds whole lines; the caller holds the lock and has called `repair`.
    func append(_ lines: [UInt8]) throws(SystemError) {
        let number = openat(directory, Self.file, O_WRONLY | O_APPEND | O_CREAT | flags, 0o666)
        guard number >= 0 else { throw SystemError("write \(Self.file)", code: errno) }
        let file = Descriptor(taking: number)
        let output = ByteOutput(file.number, name: Self.file)
        try output.write(lines)
        try output.flush()
    }

    /// Cuts off the half line that a crash left at the end; the caller holds the lock.
    func repair() throws(SystemError) {
        guard let file = try LogFile.open(in: directory) else { return }
        let end = try file.lastLineEnd(before: file.end)
        guard end < file.end else { return }
        let number = openat(directory, Self.file, O_WRONLY | flags)
        guard number >= 0 else { throw SystemError("repair \(Self.file)", code: errno) }
        let writing = Descriptor(taking: number)
        guard ftruncate(writing.number, off_t(file.place(of: end))) == 0 else {
            throw SystemError("repair \(Self.file)", code: errno)
        }
    }

    /// Cuts off all before `cut`, in one step; the caller holds the lock and has called `repair`.
    ///
    /// - Parameters:
    ///   - cut: Of a whole line that the log has.
    ///   - aside: A directory on the same file system, for the new file.
    /// - Throws: When the new file cannot be written; the log is as it was.
    func shorten(to cut: LogCut, aside: Int32) throws(SystemError) {
        guard let file = try LogFile.open(in: directory) else { return }
        let name = "new-log"
        try SyncedFile.write(name, in: aside, modeOf: file.descriptor.number) {
            (output) throws(SystemError) in
            try output.write(cut.bytes)
            var offset = cut.offset
            while offset < file.end {
                let next = min(offset + 1 << 20, file.end)
                try output.write(try file.bytes(from: offset, to: next))
                offset = next
            }
        }
        guard renameat(aside, name, directory, Self.file) == 0 else {
            throw SystemError("write \(Self.file)", code: errno)
        }
        known = nil
    }
}

extension ChangeLog {
    private func check(
        before offset: Int64, in file: borrowing LogFile
    ) throws(SystemError) -> String {
        let start = max(file.cut.offset, offset - Self.checked)
        return Checksum.of(try file.bytes(from: start, to: offset))
    }

    /// The last line that is one of a log; whole lines of nonsense after it are passed over.
    private func findHead(in file: borrowing LogFile) throws(SystemError) -> LogPosition {
        let end = try file.lastLineEnd(before: file.end)
        var seq = file.cut.seq
        var lineEnd = end - 1
        while lineEnd > file.cut.offset {
            let start = try file.lastLineEnd(before: lineEnd)
            let line = try file.bytes(from: start, to: lineEnd)
            if let found = line.withUnsafeBytes({ LogLine($0)?.seq }) {
                seq = found
                break
            }
            lineEnd = start - 1
        }
        if end == 0 { return .start }
        return LogPosition(seq: seq, offset: end, check: try check(before: end, in: file))
    }
}
