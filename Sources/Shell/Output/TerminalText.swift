package import Platform

/// Passes text on to a terminal so that nothing in it can steer the terminal or mislead the eye.
///
/// Tables, cards and tsv are made safe cell by cell. This is for the formats that are exact in a pipe
/// or a file: their texts are data, which anybody may have written.
package final class TerminalText: ByteSink {
    /// What stands for a dangerous character.
    package enum Spelling: Sendable {
        /// `\u009b`: to a reader of JSON the same text.
        case json
        /// As `Sanitizer` shows it, lines kept.
        case shown
    }

    private let sink: any ByteSink
    private let spelling: Spelling
    /// The first bytes of a character whose others are still to come.
    private var begun: [UInt8] = []

    package init(_ sink: any ByteSink, as spelling: Spelling) {
        self.sink = sink
        self.spelling = spelling
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        if begun.isEmpty, Self.unfinished(bytes) == 0, !bytes.contains(where: Self.isSuspicious) {
            return try sink.write(bytes)
        }
        var text = begun + bytes
        let rest = Self.unfinished(text)
        begun = Array(text.suffix(rest))
        text.removeLast(rest)
        try sink.write(shown(text))
    }

    package func flush() throws(SystemError) {
        if !begun.isEmpty { try sink.write(shown(begun)) }
        begun = []
        try sink.flush()
    }

    private func shown(_ bytes: [UInt8]) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count + 64)
        let text = String(decoding: bytes, as: UTF8.self)
        guard spelling == .json else {
            Sanitizer.append(text, lines: .kept, to: &shown)
            return shown
        }
        for scalar in text.unicodeScalars {
            if scalar == "\n" || !Sanitizer.isDangerous(scalar) {
                shown.append(contentsOf: String(scalar).utf8)
            } else {
                // None of them is beyond the first plane.
                let digits = String(scalar.value, radix: 16)
                shown.append(contentsOf: "\\u".utf8)
                shown.append(contentsOf: repeatElement(0x30, count: 4 - digits.utf8.count))
                shown.append(contentsOf: digits.utf8)
            }
        }
        return shown
    }

    /// Bytes that dangerous characters begin with, and some others do: C0, DEL, and what leads C1,
    /// the Arabic letter mark, and the general punctuation with the marks of direction.
    private static func isSuspicious(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x0A: false
        case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: true
        default: false
        }
    }

    /// How many bytes at the end begin a character that is not whole.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        for (count, byte) in bytes.suffix(3).reversed().enumerated() {
            switch byte {
            case 0x80..<0xC0: continue
            case 0xC0..<0xE0: return count + 1 < 2 ? count + 1 : 0
            case 0xE0..<0xF0: return count + 1 < 3 ? count + 1 : 0
            case 0xF0...: return count + 1
            default: return 0
            }
        }
        return 0
    }
}
