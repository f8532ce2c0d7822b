import Testing

@testable import Plugins

@Suite struct `Texts at a place` {
    private static func longest(_ texts: [String], _ bytes: String) -> Int? {
        let index = PrefixIndex(Set(texts.map { Array($0.utf8) }))
        return Array(bytes.utf8).withUnsafeBytes { index.longest(at: $0) }
    }

    @Test func `are found by their beginnings, the longest first`() {
        let texts = ["a", "ab", "abc", "abd", "b", "ba", "\u{e9}", "abcdefgh", ""]
        let table: [(String, Int?)] = [
            ("", nil), ("a", 1), ("aa", 1), ("ab", 2), ("abe", 2), ("abc", 3), ("abcd", 3),
            ("abcdefghi", 8), ("abcdefg", 3), ("abz", 2), ("az", 1), ("b", 1), ("bab", 2),
            ("c", nil), ("\u{e9}t", 2), ("\u{ea}", nil),
        ]
        for (bytes, count) in table {
            #expect(Self.longest(texts, bytes) == count, "\(bytes)")
        }
        #expect(Self.longest([], "a") == nil)
    }

    @Test func `are found as looking at each would find them`() {
        var dice = SystemRandomNumberGenerator()
        func text(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 0...most, using: &dice)).map { _ in Bool.random() ? "a" : "b" })
        }
        for _ in 0..<300 {
            let texts = (0..<Int.random(in: 0...30)).map { _ in text(8) }
            let bytes = text(12)
            let slow = texts.filter { !$0.isEmpty && bytes.hasPrefix($0) }.map(\.utf8.count).max()
            #expect(Self.longest(texts, bytes) == slow, "\(texts) at \(bytes)")
        }
    }

    @Test func `are found soon where thousands of them are alike`() {
        let texts = (0..<1_000).map { String(repeating: "a", count: 1_000) + "\($0)" }
        let masker = Masker(texts)
        let line = String(repeating: "a", count: 8_000)
        #expect(masker.mask(line) == line)
        #expect(masker.mask("x" + texts[7] + "y") == "x••••••y")
    }
}
