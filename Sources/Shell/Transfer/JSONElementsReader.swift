package import JSON
internal import Platform

/// Reads the objects of one JSON array, or JSON objects that just follow each other, holding one
/// at a time.
package final class JSONElementsReader: RecordReader {
    private enum Place {
        /// Nothing but white space was seen.
        case start
        /// Behind the opening bracket, an element, or a comma of the array.
        case opened, behindElement, behindComma
        case closed
        /// No array: values follow each other.
        case sequence
    }

    package private(set) var line = 0
    private let window: InputWindow
    private var place = Place.start
    private var nextLine = 1

    package convenience init(_ source: any ByteSource) { self.init(InputWindow(source)) }

    init(_ window: InputWindow) { self.window = window }

    package func next() throws(ShellError) -> JSONObject? {
        while true {
            let byte = try firstByte()
            line = nextLine
            switch (place, byte) {
            case (.start, _):
                place = byte == UInt8(ascii: "[") ? .opened : .sequence
                if place == .opened { window.consume(1) }
            case (.sequence, nil), (.closed, nil): return nil
            case (_, nil): throw lost("the array has no closing ]")
            case (.opened, UInt8(ascii: "]")), (.behindElement, UInt8(ascii: "]")):
                window.consume(1)
                place = .closed
            case (.behindElement, UInt8(ascii: ",")):
                window.consume(1)
                place = .behindComma
            case (.behindElement, _): throw lost("expected ',' or ']' between two records")
            case (.closed, _): throw lost("text after the array")
            case (.opened, _), (.behindComma, _):
                place = .behindElement
                return try element()
            case (.sequence, _): return try element()
            }
        }
    }
}

extension JSONElementsReader {
    /// The first byte that is no white space, at the start of the window; nil at the end.
    private func firstByte() throws(ShellError) -> UInt8? {
        if place == .start { _ = try window.beginning() }
        while true {
            for (index, byte) in window.bytes.enumerated() {
                switch byte {
                case 0x0A: nextLine += 1
                case 0x20, 0x09, 0x0D: continue
                default:
                    window.consume(index)
                    return byte
                }
            }
            window.consume(window.bytes.count)
            if try !window.more() { return nil }
        }
    }

    private func element() throws(ShellError) -> JSONObject? {
        let length = try elementLength()
        let text = UnsafeRawBufferPointer(rebasing: window.bytes[..<length])
        nextLine += text.count { $0 == 0x0A }
        window.consume(length)
        return try JSONObject(record: text, from: line)
    }

    /// How far the value at the start of the window goes: to the bracket that closes its first, or
    /// to the first byte that no number or word can hold.
    private func elementLength() throws(ShellError) -> Int {
        var depth = 0
        var isInString = false
        var index = 0
        while true {
            let bytes = window.bytes
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if isInString {
                    if byte == UInt8(ascii: "\"") {
                        isInString = false
                        if depth == 0 { return index }
                    } else if byte == UInt8(ascii: "\\") {
                        index += 1
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    // A closing bracket where a value should be is its own, wrong, value.
                    if depth <= 0 { return depth < 0 && index > 1 ? index - 1 : index }
                case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                    if depth == 0 { return max(index - 1, 1) }
                default: break
                }
            }
            guard bytes.count <= InputWindow.limit else {
                throw lost("a record is larger than 16 MiB")
            }
            if try !window.more() {
                if depth == 0, !isInString { return bytes.count }
                throw lost("a record is never closed")
            }
        }
    }

    /// An error after which nothing more can be read.
    private func lost(_ message: String) -> ShellError {
        window.abandon()
        place = .closed
        return ShellError(.input, message, line: line)
    }
}
