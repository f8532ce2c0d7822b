package import JSON
internal import Platform

/// Reads a JSON object a line, skipping empty lines.
package final class JSONLinesReader: RecordReader {
    package private(set) var line = 0
    private let window: InputWindow
    private var isStarted = false

    package convenience init(_ source: any ByteSource) { self.init(InputWindow(source)) }

    init(_ window: InputWindow) { self.window = window }

    package func next() throws(ShellError) -> JSONObject? {
        if !isStarted { _ = try window.beginning() }
        isStarted = true
        while let length = try lineLength() {
            line += 1
            let text = UnsafeRawBufferPointer(rebasing: window.bytes[..<length])
            // What is behind the line stays where it is until the window is asked for more.
            window.consume(min(length + 1, window.bytes.count))
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            return try JSONObject(record: text, from: line)
        }
        return nil
    }

    /// The length of the line at the start of the window, without its end; nil at the end.
    private func lineLength() throws(ShellError) -> Int? {
        var searched = 0
        while true {
            let bytes = window.bytes
            if let found = bytes[searched...].firstIndex(of: 0x0A) { return found }
            searched = bytes.count
            if searched > InputWindow.limit {
                line += 1
                window.abandon()
                throw ShellError(.input, "a record is larger than 16 MiB", line: line)
            }
            if try !window.more() { return searched == 0 ? nil : searched }
        }
    }
}

extension JSONObject {
    /// The record that fills a text which begins on `line` of its file.
    init(record text: UnsafeRawBufferPointer, from line: Int) throws(ShellError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(text)
        } catch {
            // The reader's own place counts from the start of this text, not of the file.
            let before = text.prefix(error.offset ?? 0)
            let words = error.message.split(separator: " (line ")[0].split(separator: " (column ")
            throw ShellError(
                .input, String(words[0]), line: line + before.count { $0 == 0x0A })
        }
        guard let object = value.members else {
            throw ShellError(
                .input, "a record must be a JSON object, not \(value.kindWithArticle)", line: line)
        }
        self = object
    }
}

extension JSONValue {
    fileprivate var kindWithArticle: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .int, .double, .big: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
