internal import Platform

/// The changes of one push, written down before any of them is made.
///
/// Once they are whole on the disk the push is decided: whoever takes the lock next finishes what
/// a crash cut short. A journal that is not whole decides nothing.
struct Journal {
    /// A record's new file.
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

    private static let title = "satchel-folder journal 1\n"
    /// The length of the line that ends a journal and tells that it is whole.
    static let sealCount = 4 + 16 + 1

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

    /// The whole journals at the front of `bytes`, the oldest first.
    static func all(in bytes: [UInt8]) -> [Journal] {
        var journals: [Journal] = []
        var rest = bytes[...]
        while let journal = Journal(takingFrom: &rest) { journals.append(journal) }
        return journals
    }

}

extension Journal {
    /// Takes what `encoded` gives off the front of `bytes`; nil for anything else.
    private init?(takingFrom bytes: inout ArraySlice<UInt8>) {
        guard bytes.starts(with: Self.title.utf8) else { return nil }
        var rest = bytes.dropFirst(Self.title.utf8.count)
        entries = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
            guard words.count == 3, let number = Int64(words[1]), let count = Int(words[2]),
                case let start = end + 1, count >= 0, rest.endIndex - start >= count,
                (0...LogLine.largest).contains(number)
            else { return nil }
            let content = Array(rest[start..<(start + count)])
            rest = rest[(start + count)...]
            guard words[0] != "log" else {
                firstSeq = number
                lines = content
                let seal = "end \(Checksum.of(Array(bytes[..<rest.startIndex])))\n"
                guard rest.starts(with: seal.utf8) else { return nil }
                bytes = rest.dropFirst(Self.sealCount)
                return
            }
            let path = words[0].split(separator: "/")
            // Who can write to the folder can write this file: it must lead nowhere else.
            guard path.count == 2, FolderName.isModel(String(path[0])),
                FolderName.isRecord(String(path[1]))
            else { return nil }
            entries.append(
                Entry(
                    model: String(path[0]), file: String(path[1]), version: number,
                    content: content))
        }
        return nil
    }
}
