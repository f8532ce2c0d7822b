internal import Platform

extension ImportRequest.Format {
    /// The format that a file's name tells; nil when it tells none.
    package init?(path: String) {
        let name = Path.name(path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        switch name[name.utf8.index(after: dot)...].lowercased() {
        case "json": self = .json
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        default: return nil
        }
    }

    /// The format that the first bytes of a file look like.
    init(beginning bytes: UnsafeRawBufferPointer) {
        let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let line = bytes.prefix { $0 != 0x0A }
        switch first {
        case UInt8(ascii: "["): self = .json
        // The first of several lines is whole; of a record over several lines it is not.
        case UInt8(ascii: "{"):
            self = line.last { $0 > 0x20 } == UInt8(ascii: "}") ? .ndjson : .json
        default: self = line.contains(0x09) && !line.contains(UInt8(ascii: ",")) ? .tsv : .csv
        }
    }
}
