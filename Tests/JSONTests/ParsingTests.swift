import JSON
import Testing

@Suite struct `Reading JSON` {
    struct Accepted: CustomTestStringConvertible {
        var text: String
        var value: JSONValue
        var testDescription: String { text }

        init(_ text: String, _ value: JSONValue) {
            self.text = text
            self.value = value
        }
    }

    static let accepted: [Accepted] = [
        Accepted("null", .null),
        Accepted(" true\n", true),
        Accepted("false", false),
        Accepted("[]", []),
        Accepted("[ ]", []),
        Accepted("{}", .object(JSONObject())),
        Accepted("\t{ \"a\" : 1 , \"b\" : [ true , null ] }\r\n", ["a": 1, "b": [true, nil]]),
        Accepted(#"{"":0}"#, ["": 0]),
        Accepted(#""""#, ""),
        Accepted(#""plain""#, "plain"),
        Accepted(#""a \"quoted\" \\ \/ word""#, #"a "quoted" \ / word"#),
        Accepted(#""\b\f\n\r\t""#, "\u{8}\u{c}\n\r\t"),
        Accepted(#""\u0041\u00e9\u20AC""#, "A\u{e9}\u{20ac}"),
        Accepted(#""\uD83D\uDE00""#, "\u{1F600}"),
        Accepted(#""\u0000""#, "\u{0}"),
        Accepted("\"\u{7f}\u{2028}\u{10FFFF}\"", "\u{7f}\u{2028}\u{10FFFF}"),
        Accepted(#""\\\"""#, #"\""#),
        Accepted(#""ends with a backslash\\""#, #"ends with a backslash\"#),
        Accepted(#"["a","b"]"#, ["a", "b"]),
        Accepted(#"{"\u0061":1,"b":2}"#, ["a": 1, "b": 2]),
        Accepted("[[[[]]]]", [[[[]]]]),
    ]

    @Test(arguments: accepted) func `takes what the standard takes`(_ row: Accepted) throws {
        let value = try JSONValue.parse(row.text)
        #expect(value == row.value)
    }

    static let refused: [(String, JSONError.Kind)] = [
        ("", .syntax), (" \n", .syntax), ("{", .syntax), ("[", .syntax), ("}", .syntax),
        ("]", .syntax), ("[}", .syntax), ("{]", .syntax), ("[1", .syntax), ("[1,", .syntax),
        ("[1,]", .syntax), ("[,1]", .syntax), ("[1 2]", .syntax), ("[1,,2]", .syntax),
        ("{\"a\"}", .syntax), ("{\"a\":}", .syntax), ("{\"a\":1,}", .syntax), ("{a:1}", .syntax),
        ("{1:1}", .syntax), ("{\"a\" 1}", .syntax), ("{\"a\":1 \"b\":2}", .syntax),
        ("{,}", .syntax), ("{\"a\"::1}", .syntax), ("'a'", .syntax), ("1 2", .syntax),
        ("[] []", .syntax), ("{}x", .syntax), ("nul", .syntax), ("nullx", .syntax),
        ("NULL", .syntax), ("tru", .syntax), ("truefalse", .syntax), ("True", .syntax),
        ("NaN", .syntax), ("Infinity", .syntax), ("-Infinity", .syntax), ("-", .syntax),
        ("+1", .syntax), ("01", .syntax), ("-01", .syntax), ("1.", .syntax), (".5", .syntax),
        ("1.e3", .syntax), ("1e", .syntax), ("1e+", .syntax), ("0x10", .syntax), ("1_000", .syntax),
        ("1.2.3", .syntax), ("--1", .syntax), ("1-", .syntax), ("1\u{c}", .syntax),
        ("[1\u{c}2]", .syntax), ("[1\u{1a}2]", .syntax), ("[\"a\"\u{c}\"b\"]", .syntax),
        ("[12\"abc\"]", .syntax), ("[true\"abc\"]", .syntax), ("[\"a\"true]", .syntax),
        ("[\"a\"\"b\"]", .syntax), (#"[\"a"]"#, .syntax), (#"["a"\"b"]"#, .syntax),
        ("\"", .syntax), ("\"abc", .syntax), (#""abc\""#, .syntax), ("[\"a]", .syntax),
        (#""\x""#, .syntax), (#""\u12""#, .syntax), (#""\u12g4""#, .syntax),
        (#""\U0041""#, .syntax),
        (#""\uD800""#, .syntax), (#""\uDC00""#, .syntax), (#""\uD800\uD800""#, .syntax),
        (#""\uD800x""#, .syntax), (#""\uD800\n""#, .syntax), (#""\uDE00\uD83D""#, .syntax),
        ("\"a\nb\"", .syntax), ("\"a\tb\"", .syntax), ("\"\u{0}\"", .syntax), ("\u{0}", .syntax),
        ("\u{feff}{}", .syntax), ("[\u{a0}1]", .syntax), ("// c\n1", .syntax), ("[1]#", .syntax),
        (#"{"a":1,"a":1}"#, .duplicateKey), (#"{"a":1,"\u0061":2}"#, .duplicateKey),
        (#"{"":1,"":2}"#, .duplicateKey), (#"[{"b":{"a":1,"c":{},"a":1}}]"#, .duplicateKey),
    ]

    @Test(arguments: refused)
    func `refuses everything else`(_ text: String, _ kind: JSONError.Kind) {
        #expect(throws: JSONError.self) { try JSONValue.parse(text) }
        #expect(error(text)?.kind == kind)
    }

    static let notUTF8: [[UInt8]] = [
        [0x22, 0xFF, 0x22], [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC3, 0x22],
        [0x22, 0xE2, 0x82, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
        [0xFE, 0xFF, 0x00, 0x22], [0x5B, 0xC3], [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22],
    ]

    @Test(arguments: notUTF8) func `refuses bytes that are not UTF-8`(_ bytes: [UInt8]) {
        #expect(error(bytes)?.kind == .invalidUTF8)
    }

    @Test func `keeps keys apart that only look the same`() throws {
        let value = try JSONValue.parse("{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(value.members?.count == 2)
        #expect(value["\u{e9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test(arguments: [1, 2, 47, 48, 49, 50, 200, 3000])
    func `finds a duplicate among many keys`(_ count: Int) throws {
        let names = (0..<count).map { "a rather long name of a key, number \($0)" }
        let members = names.map { "\"\($0)\":{\"x\":1,\"y\":2}" }.joined(separator: ",")
        let object = try JSONValue.parse("{\(members)}")
        #expect(object.members?.keys == names)
        for name in [names[0], names[count / 2], names[count - 1]] {
            let error = error("{\(members),\"\(name)\":0}")
            #expect(error?.kind == .duplicateKey)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test func `stops where nesting gets too deep`() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try JSONValue.parse(deep).depth == 512)
        #expect(error("[\(deep)]")?.kind == .tooDeep)
        #expect(error(String(repeating: "{\"a\":", count: 513))?.kind == .tooDeep)
        #expect(error(String(repeating: "[", count: 100_000))?.kind == .tooDeep)
        #expect(try JSONValue.parse("[[1]]", maxDepth: 2) == [[1]])
        #expect(error("[[[1]]]", maxDepth: 2)?.message == "nested deeper than 2 levels (column 3)")
    }

    @Test func `takes bytes in every form`() throws {
        let bytes = Array("x[1]y".utf8)
        #expect(try JSONValue.parse(bytes[1...3]) == [1])
        #expect(try JSONValue.parse(Array(bytes[1...3])) == [1])
        #expect(try JSONValue.parse(bytes.span.extracting(1..<4).bytes) == [1])
    }

    static let messages: [(String, String)] = [
        ("", "expected a JSON value, found nothing"),
        ("[1,]", "expected a value, found ']' (column 4)"),
        ("[1", "expected ',' or ']', found the end (column 3)"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "expected ',' or '}', found '\"' (line 3, column 3)"),
        ("[\"\u{e9}\u{e9}\" 1]", "expected ',' or ']', found '1' (column 7)"),
        ("{\"a\":1,\"a\":2}", "the key \"a\" appears twice in one object (column 8)"),
        (
            "[\n\"a\tb\"]",
            "a control character inside a string must be written as an escape such as \\n (line 2, column 3)"
        ),
        ("[\"a\", \"b]", "a string has no closing quote (column 7)"),
        ("\u{feff}[]", "expected a value, found a byte-order mark (column 1)"),
    ]

    @Test(arguments: messages)
    func `says what is wrong and where`(_ text: String, _ message: String) {
        #expect(error(text)?.message == message)
    }
}

/// The error of reading `text`; nil if it is read.
func error(_ text: String, maxDepth: Int = 512) -> JSONError? {
    error(Array(text.utf8), maxDepth: maxDepth)
}

func error(_ bytes: [UInt8], maxDepth: Int = 512) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONValue.parse(bytes, maxDepth: maxDepth)
        return nil
    } catch {
        return error
    }
}
