import JSON
import Testing

@Suite struct `Writing JSON` {
    static let texts: [(String, String)] = [
        ("", #""""#), ("plain", #""plain""#), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#),
        ("/", #""/""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), ("\u{0}\u{1f}", #""\u0000\u001f""#),
        ("\u{7f}\u{80}\u{2028}\u{e9}\u{1F600}", "\"\u{7f}\u{80}\u{2028}\u{e9}\u{1F600}\""),
        ("exactly8", #""exactly8""#), ("seven 7\"", #""seven 7\"""#),
        ("eight 88\nand more than one word\\", #""eight 88\nand more than one word\\""#),
        ("!!!!!!!!####]]]]", #""!!!!!!!!####]]]]""#),
    ]

    @Test(arguments: texts)
    func `escapes only what must be escaped`(_ text: String, _ expected: String) throws {
        #expect(JSONValue.string(text).serialized() == expected)
        #expect(try JSONValue.parse(expected) == .string(text))
    }

    @Test func `finds the byte to escape wherever it stands`() throws {
        for length in 0..<40 {
            for position in 0..<length {
                for byte: UInt8 in [0x00, 0x1F, 0x22, 0x5C] {
                    for filler: UInt8 in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] {
                        var bytes = [UInt8](repeating: filler, count: length)
                        bytes[position] = byte
                        let text = String(decoding: bytes, as: UTF8.self)
                        let written = JSONValue.string(text).bytes()
                        #expect(written.count == length + (byte < 0x20 ? 7 : 3))
                        #expect(try JSONValue.parse(written) == .string(text))
                    }
                }
            }
        }
    }

    @Test func `keeps members in their order`() throws {
        let text = #"{"z":1,"a":[true,false,null],"m":{},"b":[],"c":{"y":"","x":-5}}"#
        #expect(try JSONValue.parse(text).serialized() == text)
    }

    @Test func `lays a text out for people`() throws {
        let value = try JSONValue.parse(#"{"a":1,"b":[],"c":{},"d":[1,{"e":"f"}],"g":{"h":null}}"#)
        #expect(
            value.prettyPrinted() == """
                {
                  "a": 1,
                  "b": [],
                  "c": {},
                  "d": [
                    1,
                    {
                      "e": "f"
                    }
                  ],
                  "g": {
                    "h": null
                  }
                }
                """)
        #expect(JSONValue.array([]).prettyPrinted() == "[]")
        #expect(try JSONValue.parse(value.prettyPrinted()) == value)
    }

    @Test(arguments: [0, 9, 10, -1, -9, 42, 123_456_789, .max, .min] as [Int64])
    func `writes integers whole`(_ value: Int64) {
        #expect(JSONValue.int(value).serialized() == value.description)
    }
}

@Suite struct `The depth of a value` {
    static let table: [(String, Int)] = [
        ("1", 0), ("[]", 1), ("{}", 1), ("[{}]", 2), (#"{"a":[[1],2],"b":{}}"#, 3),
        (#"[1,[2,[3,[4]]],[5]]"#, 4),
    ]

    @Test(arguments: table) func `counts its containers`(_ text: String, _ depth: Int) throws {
        #expect(try JSONValue.parse(text).depth == depth)
    }
}
