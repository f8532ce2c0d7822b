import Shell
import Testing

@Suite struct `The width of a text on a terminal` {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｆｕ", 4), ("ﾊ", 1),
        ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
        ("❤", 1), ("❤️", 2), ("1️⃣", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
        ("a\u{200B}b", 2), ("a\u{0}\u{1b}\u{9b}", 1), ("\u{AD}", 1), ("का", 2), ("ก็", 1),
        ("\u{1FAE8}", 2), ("\u{301}", 0), ("…", 1), ("☃\u{FE0E}", 1),
    ])
    func `counts clusters`(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
        ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 2, "…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("a👨‍👩‍👧‍👦b", 3, "a…"), ("a👨‍👩‍👧‍👦b", 4, "a👨‍👩‍👧‍👦b"),
    ])
    func `is cut without splitting a cluster`(_ text: String, _ width: Int, _ cut: String) {
        #expect(text.cut(toWidth: width).unicodeScalars.elementsEqual(cut.unicodeScalars))
        #expect(text.cut(toWidth: width).displayWidth <= width)
    }
}

@Suite struct `Showing what could mislead` {
    @Test(arguments: [
        ("plain", "plain"), ("é 日本 👍", "é 日本 👍"), ("\u{1b}[31m", "␛[31m"),
        ("a\nb\tc\r", "a␊b␉c␍"), ("\u{0}\u{7f}\u{7}", "␀␡␇"), ("\u{9b}0m", "\\u{9b}0m"),
        ("\u{a0}|", "\u{a0}|"), ("\u{202e}evil", "\\u{202e}evil"),
        ("\u{2066}\u{2069}", "\\u{2066}\\u{2069}"),
        ("\u{61c}\u{200f}", "\\u{61c}\\u{200f}"), ("\u{2028}", "\\u{2028}"), ("a\\b", "a\\b"),
        ("\u{2026}", "\u{2026}"), ("ع", "ع"), ("👨‍👩‍👧", "👨‍👩‍👧"),
    ])
    func `keeps a text on one line`(_ text: String, _ shown: String) {
        #expect(Sanitizer.show(text) == shown)
    }

    @Test func `can keep or escape the lines`() {
        #expect(Sanitizer.show("a\n\tb\r\u{1b}", lines: .kept) == "a\n\tb␍␛")
        #expect(Sanitizer.show("a\n\tb\r\\\u{1b}", lines: .escaped) == "a\\n\\tb\\r\\\\␛")
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], "a\\xffb"), ([0xC3], "\\xc3"),
            ([0xE2, 0x82, 0x41], "\\xe2\\x82A"),
            ([0xC3, 0xA9, 0x1B], "é␛"), ([], ""), ([0x80, 0x80], "\\x80\\x80"),
            ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
        ] as [([UInt8], String)])
    func `shows bytes that are no text`(_ bytes: [UInt8], _ shown: String) {
        #expect(Sanitizer.show(bytes: bytes) == shown)
    }
}
