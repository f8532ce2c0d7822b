import Shell
import Testing

@Suite struct `Reading the words of a line` {
    struct Line: CustomTestStringConvertible {
        var text: String
        var words: [String]
        var testDescription: String { text }

        init(_ text: String, _ words: String...) {
            self.text = text
            self.words = words
        }
    }

    static let lines = [
        Line("list Post", "list", "Post"),
        Line("  list\tPost  ", "list", "Post"),
        Line("list Post\r", "list", "Post"),
        Line(""),
        Line("   "),
        Line("# nothing"),
        Line("list Post # all of them", "list", "Post"),
        Line("create Tag name=#1", "create", "Tag", "name=#1"),
        Line("create Tag name=a#b", "create", "Tag", "name=a#b"),
        Line("create Tag '#1'", "create", "Tag", "#1"),
        Line(#"a='it is' b"#, "a=it is", "b"),
        Line(#"'a\nb'"#, #"a\nb"#),
        Line(#""a\nb\t\"c\"\\""#, "a\nb\t\"c\"\\"),
        Line(##""\u00e9\u20AC""##, "é€"),
        Line(#""\ud83d\ude00""#, "😀"),
        Line(##"a\ b \'c\' \#d \n"##, "a b", "'c'", "#d", "n"),
        Line(#"\é"#, "é"),
        Line(#"one'two'"three"\ four"#, "onetwothree four"),
        Line(#"'' """#, "", ""),
        Line("a\\\nb \\\n  c", "ab", "c"),
        Line("a\\\r\nb", "ab"),
        Line("\"a\\\nb\"", "ab"),
        Line("'a\\\nb'", "a\\\nb"),
        Line("'two\nlines'", "two\nlines"),
        Line("$HOME * ! ~ `x` ; | & > <", "$HOME", "*", "!", "~", "`x`", ";", "|", "&", ">", "<"),
        Line("title=a:b=c@d", "title=a:b=c@d"),
        Line("naïve=é ключ=日本", "naïve=é", "ключ=日本"),
    ]

    @Test(arguments: lines) func `takes quotes and escapes away`(_ line: Line) throws {
        let words = try LineWords.words(of: line.text).map(\.text)
        #expect(words.map { Array($0.utf8) } == line.words.map { Array($0.utf8) })
    }

    @Test func `keeps where each word stands`() throws {
        let words = try LineWords.words(of: #"  a 'b c'  é=d"#)
        #expect(words.map(\.range) == [2..<3, 4..<9, 11..<15])
    }

    static let mistakes = [
        ("a 'b", "the quote ' at position 3 is never closed"),
        ("a \"b", "the quote \" at position 3 is never closed"),
        (#"a ""\"#, "the command ends in a backslash, and no line follows"),
        (#""\d""#, #"\d means nothing inside ".."#),
        (#""\u12""#, #"\u takes four hexadecimal digits"#),
        (#""\ud83d""#, "half a surrogate pair"),
    ]

    @Test(arguments: mistakes) func `says what is wrong`(_ line: String, _ message: String) {
        let error = #expect(throws: ShellError.self) { try LineWords.words(of: line) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    static let bytes: [([UInt8], String)] = [
        (Array("list P".utf8) + [0xFF], "byte 0xff at position 7"),
        (Array("create P a='x".utf8) + [0xC3] + Array("'".utf8), "byte 0xc3 at position 14"),
        ([0x61, 0x20, 0xED, 0xA0, 0x80], "byte 0xed at position 3"),
    ]

    @Test(arguments: bytes) func `names the byte that is no UTF-8`(
        _ bytes: [UInt8], _ message: String
    ) {
        let error = #expect(throws: ShellError.self) {
            try bytes.withUnsafeBytes { raw in
                var words = LineWords(raw)
                while try words.next() != nil {}
            }
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
