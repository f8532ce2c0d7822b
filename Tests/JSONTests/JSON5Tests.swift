import JSON
import Testing

@Suite struct `Reading JSON5` {
    static let accepted: [(String, String)] = [
        ("{}", "{}"), (" // only a remark\n[] /* and one more */", "[]"),
        ("{a: 1, 'b': 2, \"c\": 3,}", #"{"a":1,"b":2,"c":3}"#), ("[1, 2,]", "[1,2]"),
        (
            "{$a_1: null, \u{fc}ber: true, \\u0061b: false}",
            #"{"$a_1":null,"über":true,"ab":false}"#
        ),
        ("{null: 1, true: 2, default: 3}", #"{"null":1,"true":2,"default":3}"#),
        ("'it\\'s \"quoted\"'", #""it's \"quoted\"""#), ("\"it's\"", #""it's""#),
        ("'\\x41\\u00e9\\v\\0\\a\\/'", "\"A\u{e9}\\u000b\\u0000a/\""),
        ("'\\uD83D\\uDE00'", "\"\u{1F600}\""), ("'a\\\nb\\\r\nc\\\rd\\\u{2028}e'", #""abcde""#),
        ("'tab\there'", #""tab\there""#), ("'\u{2028}'", "\"\u{2028}\""),
        ("'\\\u{e9}'", "\"\u{e9}\""),
        ("0x1F", "31"), ("-0XfF", "-255"), ("0xffffffffffffffff", "18446744073709551615"),
        ("+1", "1"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("5.e3", "5e3"), ("1.50", "1.50"),
        ("+1E+3", "1E+3"), ("-0", "-0"), ("0", "0"),
        ("123456789012345678901234", "123456789012345678901234"),
        ("\u{feff}{\u{a0}a\u{2003}:\u{b}1\u{c}}", #"{"a":1}"#),
        ("/**/1/***/", "1"), ("/* // */ 2 // /*", "2"), ("[1/**/,/**/2]", "[1,2]"),
        ("// one\r// two\u{2028}// three\r\n3", "3"),
        (#"{"plain": ["json", 1.5, {"x": null}]}"#, #"{"plain":["json",1.5,{"x":null}]}"#),
    ]

    @Test(arguments: accepted)
    func `takes what people write`(_ text: String, _ json: String) throws {
        #expect(try JSONValue.parseJSON5(text).serialized() == json)
    }

    static let refused = [
        "", "// nothing", "/* open", "/*/", "{", "{a", "{a:", "{a:1", "{a:1 b:2}", "{,}", "[,]",
        "[1,,2]", "{a:1,,}", "{a 1}", "{1: 2}", "{a-b: 1}", "'open", "'a\nb'", "'a\\", "\"a'",
        "'\\1'", "'\\01'", "'\\x4'", "'\\u12'", "'\\uD800'", "'\\uDC00'", "'\\uD800\\u0041'", "01",
        "0x", "0xg", "0x1ffffffffffffffff", "1e", "1e+", ".", "+", "-", "--1", "+-1", "1.2.3", "1a",
        "1_000", "Infinity", "-Infinity", "NaN", "undefined", "nul", "True", "1 2", "[1] x", "{}}",
        "]", "a", "/ 1", "\u{0}", "{a:1}\u{0}", "{\\u0020: 1}", "{\\x41: 1}", "{a\\: 1}", "\u{85}1",
    ]

    @Test(arguments: refused) func `refuses everything else`(_ text: String) {
        #expect(json5Error(text)?.kind == .syntax)
    }

    static let messages: [(String, String)] = [
        ("{\n  a: 1,\n  b 2\n}", "expected ':' after a key, found '2' (line 3, column 5)"),
        ("{\n  a: 1,\n  'a': 2\n}", "the key \"a\" appears twice in one object (line 3, column 3)"),
        (
            "{\n  // fine\n  a: yes\n}",
            "expected a value, found a word that is none (line 3, column 6)"
        ),
        ("{a: 1\n/* open", "a comment has no closing */ (line 2, column 1)"),
        ("[1\n2]", "expected ',' or ']', found '2' (line 2, column 1)"),
        (String(repeating: "[", count: 129), "nested deeper than 128 levels (column 129)"),
    ]

    @Test(arguments: messages)
    func `says what is wrong and where`(_ text: String, _ message: String) {
        #expect(json5Error(text)?.message == message)
    }

    @Test func `refuses bytes that are not UTF-8`() {
        #expect(throws: JSONError(.invalidUTF8, "not UTF-8 (column 2)", offset: 1)) {
            try JSONValue.parseJSON5([0x27, 0xFF, 0x27])
        }
    }

    @Test func `reads plain JSON as the JSON reader does`() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<300 {
            let value = JSONValue.random(depth: 4, using: &random)
            let text = value.prettyPrinted()
            #expect(try JSONValue.parseJSON5(text).serialized() == value.serialized())
            #expect(try JSONValue.parse(text).serialized() == value.serialized())
        }
    }
}

func json5Error(_ text: String) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONValue.parseJSON5(text)
        return nil
    } catch {
        return error
    }
}
