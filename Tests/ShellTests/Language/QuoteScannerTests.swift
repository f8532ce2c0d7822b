import Shell
import Testing

@Suite struct `Seeing whether a command goes on` {
    struct Lines: CustomTestStringConvertible {
        var lines: [String]
        var state: QuoteScanner.State
        var testDescription: String { lines.joined(separator: "⏎") }

        init(_ lines: String..., leave state: QuoteScanner.State) {
            self.lines = lines
            self.state = state
        }
    }

    static let single = QuoteScanner.State.openQuote(UInt8(ascii: "'"))
    static let double = QuoteScanner.State.openQuote(UInt8(ascii: "\""))

    static let table = [
        Lines("list Post", leave: .complete),
        Lines("a='b", leave: single),
        Lines("a='b", "c'", leave: .complete),
        Lines("a=\"b\\\"", leave: double),
        Lines("a=\"b\\\"\"", leave: .complete),
        Lines("a=\"b\\", "c\"", leave: .complete),
        Lines("a \\", leave: .continued),
        Lines("a \\\r", leave: .continued),
        Lines("a \\", "b", leave: .complete),
        Lines("a \\\\", leave: .complete),
        Lines("a \\'", leave: .complete),
        Lines("# it's", leave: .complete),
        Lines("a # it's \\", leave: .complete),
        Lines("a#it's", leave: single),
        Lines("a\\", "#it's", leave: single),
        Lines("a \\", "#it's", leave: .complete),
        Lines("a='b", "# c", leave: single),
        Lines("", leave: .complete),
    ]

    @Test(arguments: table) func `as the words are read`(_ case: Lines) {
        var scanner = QuoteScanner()
        for line in `case`.lines {
            _ = line.utf8Span.span.withUnsafeBytes { scanner.scan($0) }
        }
        #expect(scanner.state == `case`.state)
    }
}
