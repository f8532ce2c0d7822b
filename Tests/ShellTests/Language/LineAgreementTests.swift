import Shell
import Testing

/// Draws the same numbers for the same seed.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

@Suite struct `Scanner and reader of lines` {
    private static let pieces: [[UInt8]] =
        ["a", "b=", "'", "\"", "\\", "\n", " ", "#", "\t", "\r", "é", "where", "set", "-x", "("]
        .map { Array($0.utf8) } + [[0xFF]]

    private func text(_ dice: inout Dice) -> [UInt8] {
        let count = Int.random(in: 0..<12, using: &dice)
        return (0..<count).flatMap { _ in Self.pieces.randomElement(using: &dice) ?? [] }
    }

    /// The state after all lines, or nil when a line before the last completes the command.
    private func state(_ text: [UInt8]) -> QuoteScanner.State? {
        var scanner = QuoteScanner()
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let state = line.withUnsafeBytes { scanner.scan($0) }
            if state == .complete, index < lines.count - 1 { return nil }
        }
        return scanner.state
    }

    @Test(arguments: 0..<40) func `agree on what is complete`(_ seed: UInt64) {
        var dice = Dice(state: seed)
        for _ in 0..<500 {
            let text = text(&dice)
            guard let state = state(text) else { continue }
            var isOpen = false
            text.withUnsafeBytes { bytes in
                var words = LineWords(bytes)
                do throws(ShellError) {
                    while try words.next() != nil {}
                } catch {
                    isOpen =
                        error.message.contains("never closed")
                        || error.message.contains("ends in a")
                    // Another mistake, found first, says nothing about the end.
                    if !isOpen { isOpen = state != .complete }
                }
            }
            #expect(
                isOpen == (state != .complete),
                "\(String(decoding: text, as: UTF8.self).debugDescription)")
        }
    }

    @Test(arguments: 0..<40) func `survive any bytes`(_ seed: UInt64) {
        var dice = Dice(state: seed)
        for _ in 0..<500 {
            let text = Array("list P where ".utf8) + text(&dice)
            text.withUnsafeBytes { bytes in
                do throws(ShellError) {
                    _ = try Invocation.parse(line: bytes)
                } catch {
                    #expect(error.kind == .usage)
                }
            }
        }
    }
}
