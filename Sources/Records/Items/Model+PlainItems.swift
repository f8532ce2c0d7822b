package import JSON

extension Model {
    /// The whole new record that words spell of which each sets a field of its own by a plain
    /// `field=text`, as most creates of a script do.
    ///
    /// It comes to the same as `Item.parse`, `changes` and `complete` in a third of their time.
    ///
    /// - Parameters:
    ///   - words: Such as `title=Hello`.
    ///   - schema: The model's.
    ///   - newID: As for `complete`.
    /// - Returns: Nil for words that are anything else or wrong: the long way tells what.
    package func record(
        plain words: [String], in schema: Schema, newID: () -> String
    ) -> JSONObject? {
        // For each field the word that sets it; its text begins two bytes after the name.
        var setters = [Int](repeating: -1, count: fields.count)
        var next = 0
        for (number, word) in words.enumerated() {
            guard let index = fieldIndex(setBy: word, expecting: next), setters[index] < 0,
                !fields[index].isReadOnly
            else { return nil }
            setters[index] = number
            next = index + 1
        }
        do throws(RecordsError) {
            return try completed(capacity: fields.count, newID: newID) {
                (index) throws(RecordsError) in
                guard setters[index] >= 0 else { return nil }
                let text = words[setters[index]].text(from: fields[index].name.utf8.count + 1)
                return try fields[index].coerce(text: text, in: schema)
            }
        } catch {
            return nil
        }
    }

    /// The field that a word such as `title=Hello` sets, mostly the one after the last.
    private func fieldIndex(setBy word: String, expecting next: Int) -> Int? {
        let bytes = word.utf8Span.span
        for offset in fields.indices {
            let index = next + offset < fields.count ? next + offset : next + offset - fields.count
            let name = fields[index].name.utf8Span.span
            guard bytes.count > name.count, bytes[name.count] == UInt8(ascii: "="),
                bytes.begins(with: name)
            else { continue }
            let isFile =
                bytes.count > name.count + 1 && bytes[name.count + 1] == UInt8(ascii: "@")
            return isFile ? nil : index
        }
        return nil
    }
}

extension String {
    /// The text after an ASCII character, from its place in bytes on.
    fileprivate func text(from start: Int) -> String {
        let bytes = utf8Span.span
        return bytes.extracting(start..<bytes.count).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

extension Span<UInt8> {
    fileprivate func begins(with other: Span<UInt8>) -> Bool {
        for index in other.indices where self[index] != other[index] { return false }
        return true
    }
}
