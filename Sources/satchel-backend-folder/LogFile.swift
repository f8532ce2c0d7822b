internal import CSystem
internal import Glibc
internal import JSON
internal import Platform

/// What was cut off the front of a log: the log's first line says it, and offsets go on counting.
struct LogCut: Equatable {
    /// The `seq` of the last line that was cut off.
    var seq: Int64
    /// The offset before which all was cut off.
    var offset: Int64

    static let none = LogCut(seq: 0, offset: 0)
    static let prefix = Array(#"{"cut":{"#.utf8)

    init(seq: Int64, offset: Int64) {
        self.seq = seq
        self.offset = offset
    }

    /// Reads the line that `bytes` writes; nil for any other.
    init?(_ line: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(line) } catch { return nil }
        guard let seq = value["cut"]?["seq"]?.integer, let offset = value["cut"]?["bytes"]?.integer,
            seq >= 0, (0...(1 << 60)).contains(offset)
        else { return nil }
        self.init(seq: seq, offset: offset)
    }

    /// `{"cut":{"seq":S,"bytes":B}}` with its line end.
    var bytes: [UInt8] {
        let cut: JSONValue = ["seq": .int(seq), "bytes": .int(offset)]
        let object: JSONValue = ["cut": cut]
        return object.bytes() + [UInt8(ascii: "\n")]
    }
}

/// The log, opened for reading: as it was then, also when it is cut meanwhile.
///
/// Offsets are those of the log as if nothing had ever been cut off it.
struct LogFile: ~Copyable {
    let descriptor: Descriptor
    let cut: LogCut
    /// Bytes of the line that tells of the cut.
    private let title: Int64
    /// The offset after the last byte, which may be inside a line.
    let end: Int64

    /// The longest line that tells of a cut.
    private static let longestTitle: Int64 = 128

    /// Opens the log in `directory`; nil when there is none.
    static func open(in directory: Int32) throws(SystemError) -> LogFile? {
        let number = openat(
            directory, ChangeLog.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("read \(ChangeLog.file)", code: errno)
        }
        return try LogFile(Descriptor(taking: number))
    }

    private init(_ descriptor: consuming Descriptor) throws(SystemError) {
        var info = stat()
        guard fstat(descriptor.number, &info) == 0 else {
            throw SystemError("read \(ChangeLog.file)", code: errno)
        }
        guard info.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(
                code: EINVAL, message: "cannot read \(ChangeLog.file): it is no regular file")
        }
        let size = Int64(info.st_size)
        let front = try Self.read(descriptor.number, from: 0, to: min(size, Self.longestTitle))
        if front.starts(with: LogCut.prefix),
            let lineEnd = front.firstIndex(of: UInt8(ascii: "\n")),
            let cut = LogCut(Array(front[..<lineEnd]))
        {
            self.cut = cut
            title = Int64(lineEnd) + 1
        } else {
            cut = .none
            title = 0
        }
        end = cut.offset + size - title
        self.descriptor = descriptor
    }

    /// Where an offset is in the file.
    func place(of offset: Int64) -> Int64 { offset - cut.offset + title }

    /// The bytes between two offsets; fewer where the file ends before.
    func bytes(from start: Int64, to end: Int64) throws(SystemError) -> [UInt8] {
        try Self.read(descriptor.number, from: place(of: start), to: place(of: end))
    }

    /// The offset after the last line end before `limit`; that of the cut when there is none.
    func lastLineEnd(before limit: Int64) throws(SystemError) -> Int64 {
        var end = limit
        while end > cut.offset {
            let start = max(cut.offset, end - 65536)
            let block = try bytes(from: start, to: end)
            if let last = block.lastIndex(of: UInt8(ascii: "\n")) { return start + Int64(last) + 1 }
            end = start
        }
        return cut.offset
    }

    private static func read(
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
        guard failure == 0 else { throw SystemError("read \(ChangeLog.file)", code: failure) }
        return bytes
    }
}
