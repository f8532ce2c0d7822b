/// Makes what could steer a terminal or mislead the eye visible in texts for people.
///
/// C0 controls and DEL become their picture (`␛`, `␊`, `␡`), one column each and never mistaken for
/// typed text. C1 controls, bidirectional controls, line and paragraph separators become an escape
/// (`\u{9b}`, `\u{202e}`), bytes that are no UTF-8 become `\xff`. Formats for programs never pass
/// through here.
package enum Sanitizer {
    /// What stays of the line structure of a text.
    package enum Lines: Sendable {
        /// Newlines and tabs are shown as `␊` and `␉`: the text stays on one line.
        case shown
        /// Newlines and tabs are kept: for messages that Satchel itself lays out over lines.
        case kept
        /// Written `\n`, `\t`, `\r`, and a backslash `\\`, so that a cell can be read back.
        case escaped
    }

    /// The text with everything dangerous shown; the same text when there is nothing.
    package static func show(_ text: String, lines: Lines = .shown) -> String {
        if isClean(text, lines) { return text }
        var bytes: [UInt8] = []
        append(text, lines: lines, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Several lines as one text, each of them made safe to stand on its own line.
    package static func lines(_ lines: [String?]) -> String {
        lines.compactMap { $0.map { show($0) } }.joined(separator: "\n")
    }

    /// Bytes from outside as text for people, such as a line that was no UTF-8.
    package static func show(bytes: [UInt8], lines: Lines = .shown) -> String {
        var shown: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let invalid: Range<Int>
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: rest.span)
                invalid = rest.count..<rest.count
            } catch {
                invalid = error.byteOffsets
            }
            append(
                String(decoding: rest.prefix(invalid.lowerBound), as: UTF8.self), lines: lines,
                to: &shown)
            for byte in rest.dropFirst(invalid.lowerBound).prefix(invalid.count) {
                shown.append(contentsOf: "\\x".utf8)
                if byte < 0x10 { shown.append(UInt8(ascii: "0")) }
                shown.append(contentsOf: String(byte, radix: 16).utf8)
            }
            rest = rest.dropFirst(invalid.upperBound)
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Appends the text, made safe, as UTF-8.
    package static func append(_ text: String, lines: Lines = .shown, to bytes: inout [UInt8]) {
        if isClean(text, lines) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { append(scalar, lines, to: &bytes) }
        }
    }
}

extension Sanitizer {
    /// True for what could steer a terminal or mislead the eye, newlines and tabs among it.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool { isShown(scalar, .shown) }

    /// True when the text can be shown as it is; false for some texts that could as well.
    private static func isClean(_ text: String, _ lines: Lines) -> Bool {
        let bytes = text.utf8Span.span
        for index in bytes.indices {
            switch bytes[unchecked: index] {
            case 0x20..<0x5C, 0x5D..<0x7F, 0x80..<0xC2, 0xC3..<0xD8, 0xD9..<0xE2, 0xE3...: continue
            case UInt8(ascii: "\\"): if lines == .escaped { return false }
            case 0x09, 0x0A: if lines != .kept { return false }
            default:
                // C2 leads C1 controls and much else: the scalars tell.
                if bytes[unchecked: index] < 0x80 { return false }
                return !text.unicodeScalars.contains { isShown($0, lines) }
            }
        }
        return true
    }

    private static func isShown(_ scalar: Unicode.Scalar, _ lines: Lines) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: lines != .kept
        case 0x5C: lines == .escaped
        case 0..<0x20, 0x7F..<0xA0: true
        default: isBidirectionalOrSeparator(scalar)
        }
    }

    /// https://www.unicode.org/reports/tr9/#Directional_Formatting_Codes, and the separators that
    /// some terminals and editors break lines at.
    private static func isBidirectionalOrSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func append(
        _ scalar: Unicode.Scalar, _ lines: Lines, to bytes: inout [UInt8]
    ) {
        switch (isShown(scalar, lines), scalar.value) {
        case (false, _): bytes.append(contentsOf: String(scalar).utf8)
        case (true, 0x09) where lines == .escaped: bytes.append(contentsOf: "\\t".utf8)
        case (true, 0x0A) where lines == .escaped: bytes.append(contentsOf: "\\n".utf8)
        case (true, 0x0D) where lines == .escaped: bytes.append(contentsOf: "\\r".utf8)
        case (true, 0x5C): bytes.append(contentsOf: "\\\\".utf8)
        // The control pictures stand in the order of the controls: E2 90 80 is the picture of NUL.
        case (true, 0..<0x20): bytes += [0xE2, 0x90, 0x80 + UInt8(scalar.value)]
        case (true, 0x7F): bytes += [0xE2, 0x90, 0xA1]
        default:
            bytes.append(contentsOf: "\\u{".utf8)
            bytes.append(contentsOf: String(scalar.value, radix: 16).utf8)
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
