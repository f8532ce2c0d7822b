package import Records

/// The names that ids have as files.
///
/// Letters, digits, `-`, `.`, `_` and `~` stand for themselves, every other byte is `%XX`: such
/// names are good on every file system a stick or a share may have. A dot in front is encoded,
/// since it would hide the file. Where the file system does not tell `a` from `A`, capitals are
/// encoded too. An id whose name would be over 255 bytes gets the first part of that name, a `+`
/// and a hash; its file says the id.
package struct FolderName: Sendable, Equatable {
    /// Capitals are written as `%XX`.
    package var foldsCase: Bool

    package init(foldsCase: Bool) { self.foldsCase = foldsCase }

    package static let suffix = ".json"
    private static let limit = 255 - suffix.utf8.count
    private static let mark = UInt8(ascii: "+")

    /// The file name of a record, `.json` included.
    package func file(for id: RecordID) -> String {
        let stem = stem(for: id)
        guard stem.count > Self.limit else {
            return String(decoding: stem, as: UTF8.self) + Self.suffix
        }
        var id = id.text
        let hash = id.withUTF8 { Checksum.of(UnsafeRawBufferPointer($0)) }
        var short = Array(stem.prefix(200))
        // Half a %XX would not decode.
        if let cut = short.suffix(2).lastIndex(of: UInt8(ascii: "%")) {
            short.removeSubrange(cut...)
        }
        short.append(Self.mark)
        return String(decoding: short, as: UTF8.self) + hash + Self.suffix
    }

    /// What the name of a file says of the record in it.
    package enum Meaning: Equatable, Sendable {
        case id(RecordID)
        /// The id is in the file.
        case inside
        /// No name that this folder gives: a temporary file, a person's notes.
        case foreign
    }

    /// Reads a file name, `.json` included.
    package func meaning(of file: String) -> Meaning {
        let bytes = Array(file.utf8)
        guard bytes.count > Self.suffix.utf8.count, bytes[0] != UInt8(ascii: "."),
            bytes.suffix(Self.suffix.utf8.count).elementsEqual(Self.suffix.utf8)
        else { return .foreign }
        let stem = bytes.dropLast(Self.suffix.utf8.count)
        if stem.contains(Self.mark) { return .inside }
        guard let decoded = Self.decode(stem),
            let text = String(validating: decoded, as: UTF8.self)
        else { return .foreign }
        let id = RecordID(text)
        // One id must not have two files.
        return self.stem(for: id).elementsEqual(stem) ? .id(id) : .foreign
    }

    private func stem(for id: RecordID) -> [UInt8] {
        var stem: [UInt8] = []
        for (index, byte) in id.text.utf8.enumerated() {
            if standsForItself(byte), index > 0 || byte != UInt8(ascii: ".") {
                stem.append(byte)
            } else {
                stem.append(UInt8(ascii: "%"))
                stem.append(Self.digit(byte >> 4))
                stem.append(Self.digit(byte & 15))
            }
        }
        // No id encodes to this: it stands for the empty one.
        return stem.isEmpty ? [UInt8(ascii: "%")] : stem
    }

    /// True for a byte that a name holds unchanged, a dot in front aside.
    package func standsForItself(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): !foldsCase
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func decode(_ stem: ArraySlice<UInt8>) -> [UInt8]? {
        if stem.elementsEqual([UInt8(ascii: "%")]) { return [] }
        var decoded: [UInt8] = []
        var rest = stem
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value),
                let low = rest.popFirst().flatMap(value)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension FolderName {
    /// True for a name that a record's file can have, in one folder or another.
    static func isRecord(_ file: String) -> Bool {
        [true, false].contains { FolderName(foldsCase: $0).meaning(of: file) != .foreign }
    }

    /// True for a name that can be a model's directory: GraphQL's names, which hold no dot.
    package static func isModel(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first)
        else { return false }
        let letters = FolderName(foldsCase: false)
        return name.utf8.allSatisfy { byte in
            letters.standsForItself(byte) && byte != UInt8(ascii: ".")
                && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "~")
        }
    }
}
