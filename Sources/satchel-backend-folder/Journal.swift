internal import CSystem
internal import Glibc
internal import Platform

/// The changes of one push, written down before any of them is made.
///
/// Once the journal is whole on the disk the push is decided: whoever takes the lock next finishes
/// what a crash cut short. A journal that is not whole decides nothing and is thrown away.
struct Journal {
    /// A record's new file, and the lines the log gets for it.
    struct Entry: Equatable {
        var model: String
        /// The name in the model's directory.
        var file: String
        /// The version in `content`: a file that has it, or a later one, is left alone.
        var version: Int64
        var content: [UInt8]
    }

    var entries: [Entry]
    /// The log's new lines, one after the other.
    var lines: [UInt8]
    /// The `seq` of the first of them.
    var firstSeq: Int64

    static let file = "journal"
    private static let title = "satchel-folder journal 1\n"
}

extension Journal {
    /// Writes the journal so that it survives a power cut.
    func write(in directory: Int32) throws(SystemError) {
        let number = openat(directory, Self.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError("write the folder's journal", code: errno) }
        let file = Descriptor(taking: number)
        let output = ByteOutput(file.number, name: "the folder's journal")
        try output.write(encoded)
        try output.flush()
        guard fdatasync(file.number) == 0 else {
            throw SystemError("write the folder's journal", code: errno)
        }
    }

    /// The journal that lies in a folder; nil when there is none or it is not whole.
    static func read(in directory: Int32) throws(SystemError) -> Journal? {
        let number = openat(directory, Self.file, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("read the folder's journal", code: errno)
        }
        let file = Descriptor(taking: number)
        return Journal(try Files.readAll(file.number))
    }

    /// True when there is something in the journal.
    static func isThere(in directory: Int32) -> Bool {
        var info = stat()
        return fstatat(directory, Self.file, &info, 0) == 0 && info.st_size > 0
    }

    /// Forgets the journal: its changes are on the disk, or were never decided.
    static func clear(in directory: Int32) throws(SystemError) {
        let number = openat(directory, Self.file, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return }
            throw SystemError("clear the folder's journal", code: errno)
        }
        close(number)
    }
}

extension Journal {
    /// A title, `model/file version bytes` and that many bytes for each entry, the log's lines,
    /// and a checksum of it all.
    var encoded: [UInt8] {
        var bytes = Array(Self.title.utf8)
        bytes.reserveCapacity(entries.reduce(lines.count + 200) { $0 + $1.content.count + 120 })
        for entry in entries {
            let head = "\(entry.model)/\(entry.file) \(entry.version) \(entry.content.count)\n"
            bytes.append(contentsOf: head.utf8)
            bytes.append(contentsOf: entry.content)
        }
        bytes.append(contentsOf: "log \(firstSeq) \(lines.count)\n".utf8)
        bytes.append(contentsOf: lines)
        bytes.append(contentsOf: "end \(Checksum.of(bytes))\n".utf8)
        return bytes
    }

    /// Reads what `encoded` gives; nil for anything else.
    init?(_ bytes: [UInt8]) {
        let seal = 4 + 16 + 1
        guard bytes.count > seal else { return nil }
        let body = Array(bytes.dropLast(seal))
        guard bytes.suffix(seal).elementsEqual("end \(Checksum.of(body))\n".utf8),
            body.starts(with: Self.title.utf8)
        else { return nil }
        var rest = body[Self.title.utf8.count...]
        entries = []
        lines = []
        firstSeq = 0
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
            guard words.count == 3, let number = Int64(words[1]), let count = Int(words[2]),
                case let start = end + 1, rest.endIndex - start >= count
            else { return nil }
            let content = rest[start..<(start + count)]
            rest = rest[(start + count)...]
            if words[0] == "log" {
                firstSeq = number
                lines = Array(content)
                continue
            }
            let path = words[0].split(separator: "/")
            guard path.count == 2 else { return nil }
            entries.append(
                Entry(
                    model: String(path[0]), file: String(path[1]), version: number,
                    content: Array(content)))
        }
        guard rest.isEmpty else { return nil }
    }
}
