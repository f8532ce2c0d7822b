/// One typed assignment, such as `title=Hello`, `tags+=new` or `address.city=Bonn`.
package struct Item: Sendable, Equatable {
    package enum Operation: Sendable, Equatable {
        /// `f=text`, by the field's declared type.
        case set(String)
        /// `f:=json`
        case setJSON(String)
        /// `f=@file`
        case setFile(String)
        /// `f:=@file`
        case setJSONFile(String)
        /// `f+=v`: an element more, or a greater number.
        case add(String)
        /// `f-=v`: an element less, or a lesser number.
        case subtract(String)
        /// `--unset f`
        case unset
    }

    /// A field of the model, or a relation that stands for its foreign key.
    package var field: String
    /// Steps into a nested value.
    package var parts: [String]
    package var operation: Operation

    package init(_ field: String, parts: [String] = [], _ operation: Operation) {
        self.field = field
        self.parts = parts
        self.operation = operation
    }

    /// The key as typed.
    package var key: String { parts.isEmpty ? field : field + "." + parts.joined(separator: ".") }

    /// The file that `f=@file` and `f:=@file` name; the caller reads it.
    package var file: String? {
        switch operation {
        case .setFile(let file), .setJSONFile(let file): file
        case .set, .setJSON, .add, .subtract, .unset: nil
        }
    }

    /// The item with a file's contents in the place of its name.
    package func reading(_ contents: String) -> Item {
        var item = self
        switch operation {
        case .setFile: item.operation = .set(contents)
        case .setJSONFile: item.operation = .setJSON(contents)
        case .set, .setJSON, .add, .subtract, .unset: break
        }
        return item
    }
}

extension Item {
    /// Reads a word: the leftmost operator counts, whatever the value holds.
    ///
    /// - Throws: Kind `.syntax` for a word without an operator or with an odd key.
    package static func parse(_ word: String) throws(RecordsError) -> Item {
        let bytes = word.utf8Span.span
        var index = 0
        var keyStart = 0
        var field: String?
        var parts: [String] = []
        while index < bytes.count {
            let byte = bytes[index]
            if isNameStart(byte) || (isDigit(byte) && index > keyStart) {
                index += 1
                continue
            }
            guard index > keyStart else { break }
            let name = text(bytes, keyStart..<index)
            if field == nil { field = name } else { parts.append(name) }
            if byte == UInt8(ascii: ".") {
                index += 1
                keyStart = index
                continue
            }
            guard let field, let operation = operation(bytes, at: index) else { break }
            return Item(field, parts: parts, operation)
        }
        throw syntaxError(word)
    }

    /// `--unset KEY`.
    package static func unset(_ key: String) throws(RecordsError) -> Item {
        let names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let field = names.first, names.allSatisfy(isName) else {
            throw RecordsError(
                .syntax, "\(quoted(key)) is no field name",
                hint: "fields with other names go through --data")
        }
        return Item(field, parts: Array(names.dropFirst()), .unset)
    }

    private static func operation(_ bytes: Span<UInt8>, at index: Int) -> Operation? {
        var value = index + 1
        if bytes[index] != UInt8(ascii: "=") {
            guard value < bytes.count, bytes[value] == UInt8(ascii: "=") else { return nil }
            value += 1
        }
        let takesFile = bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: ":")
        let isFile = takesFile && value < bytes.count && bytes[value] == UInt8(ascii: "@")
        let rest = text(bytes, (isFile ? value + 1 : value)..<bytes.count)
        switch bytes[index] {
        case UInt8(ascii: "="): return isFile ? .setFile(rest) : .set(rest)
        case UInt8(ascii: ":"): return isFile ? .setJSONFile(rest) : .setJSON(rest)
        case UInt8(ascii: "+"): return .add(rest)
        case UInt8(ascii: "-"): return .subtract(rest)
        default: return nil
        }
    }

    /// Part of a text that was cut beside an ASCII character, so that it is UTF-8 too.
    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static func syntaxError(_ word: String) -> RecordsError {
        guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return RecordsError(
                .syntax, "\(quoted(word)) sets nothing",
                hint: isName(word) ? "write \(word)=VALUE" : "write FIELD=VALUE")
        }
        var key = word[..<equals]
        if let last = key.utf8.last, ":+-".utf8.contains(last) { key = key.dropLast() }
        if key.isEmpty {
            return RecordsError(
                .syntax, "\(quoted(word)) names no field", hint: "write FIELD=VALUE")
        }
        return RecordsError(
            .syntax, "\(quoted(String(key))) is no field name",
            hint: "fields with other names go through --data")
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.first.map(isNameStart) ?? false && text.utf8.allSatisfy(isNamePart)
    }
}
