import JSON
import Platform
import Shell
import Testing

@Suite struct `Text on its way to a terminal` {
    private func shown(_ text: String, _ spelling: TerminalText.Spelling, cut: Int? = nil) throws
        -> String
    {
        let memory = MemoryOutput()
        let terminal = TerminalText(memory, as: spelling)
        let bytes = Array(text.utf8)
        let cut = cut ?? bytes.count
        try terminal.write(Array(bytes[..<cut]))
        try terminal.write(Array(bytes[cut...]))
        try terminal.flush()
        return memory.text
    }

    static let dangers: [(String, String, String)] = [
        ("\u{1b}[2J", "␛[2J", "\\u001b[2J"), ("\u{9b}2J", "\\u{9b}2J", "\\u009b2J"),
        ("\u{7f}", "␡", "\\u007f"), ("\u{85}", "\\u{85}", "\\u0085"),
        ("\u{202e}", "\\u{202e}", "\\u202e"), ("\u{2066}x", "\\u{2066}x", "\\u2066x"),
        ("\u{61c}", "\\u{61c}", "\\u061c"), ("\u{2028}", "\\u{2028}", "\\u2028"),
        ("a\nb", "a\nb", "a\nb"), ("a\rb", "a␍b", "a\\u000db"),
        ("é ü 漢字 🙂 “q” ب", "é ü 漢字 🙂 “q” ب", "é ü 漢字 🙂 “q” ب"),
    ]

    @Test(arguments: dangers) func `is spelled so that it cannot act`(
        _ text: String, _ people: String, _ json: String
    ) throws {
        #expect(try shown(text, .shown) == people)
        #expect(try shown(text, .json) == json)
        // However it is cut into pieces.
        for cut in 0...text.utf8.count {
            #expect(try shown(text, .shown, cut: cut) == people)
            #expect(try shown(text, .json, cut: cut) == json)
        }
    }

    @Test func `stays the same text to a reader of JSON`() throws {
        let value = JSONValue.string(Self.dangers.map(\.0).joined())
        #expect(try JSONValue.parse(try shown(value.serialized(), .json)) == value)
    }

    @Test func `is left alone in a pipe`() {
        let memory = MemoryOutput()
        let piped = Listing(format: .csv, terminal: terminal(output: false))
        #expect(piped.exact(memory) === memory)
        let shown = Listing(format: .csv, terminal: terminal())
        #expect(shown.exact(memory) !== memory)
    }
}
