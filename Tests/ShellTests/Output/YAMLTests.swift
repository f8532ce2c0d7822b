import JSON
import Shell
import Testing

@Suite struct `Values as YAML` {
    private func yaml(_ value: JSONValue) -> String {
        var bytes: [UInt8] = []
        YAMLWriter.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain", "plain"), ("two words", "two words"), ("", "\"\""), ("yes", "\"yes\""),
        ("No", "\"No\""), ("null", "\"null\""), ("~", "\"~\""), ("12", "\"12\""),
        ("0x1f", "\"0x1f\""), ("2026-01-02", "\"2026-01-02\""), ("1:30", "\"1:30\""),
        ("a: b", "\"a: b\""), ("a #b", "\"a #b\""), ("- a", "\"- a\""), ("end ", "\"end \""),
        ("été", "été"), ("日本", "日本"), ("a\tb", "\"a\\tb\""), ("\u{1b}", "\"\\x1b\""),
        ("\u{85}\u{2028}\u{FEFF}", "\"\\x85\\u2028\\ufeff\""), ("\"q\" \\", "\"\\\"q\\\" \\\\\""),
        ("a\r\nb", "\"a\\x0d\\nb\""), (" a\nb", "\" a\\nb\""), ("\n", "\"\\n\""),
        ("one\ntwo", "|-\n  one\n  two"), ("one\n\n two\n", "|\n  one\n\n   two"),
        ("one\n\n", "|+\n  one\n"), ("<<", "\"<<\""), ("=", "\"=\""), ("e1", "e1"),
    ])
    func `texts are plain only without a doubt`(_ text: String, _ expected: String) {
        #expect(yaml(.string(text)) == expected + "\n")
    }

    @Test func `numbers are numbers to every version`() {
        #expect(
            yaml([1, .double(1.5), .double(1e20), .big("1E5"), .double(1.5e-7)])
                == "- 1\n- 1.5\n- 1.0e+20\n- 1.0e+5\n- 1.5e-07\n")
    }

    @Test func `collections nest in block style`() {
        let value: JSONValue = [
            [
                "id": "a", "tags": ["x", ["y", "z"]], "none": [],
                "o": ["k": nil, "t": "one\ntwo\n"],
            ],
            ["id": "b", "o": .object(JSONObject())],
        ]
        #expect(
            yaml(value) == """
                - id: a
                  tags:
                    - x
                    - - "y"
                      - z
                  none: []
                  o:
                    k: null
                    t: |
                      one
                      two
                - id: b
                  o: {}

                """)
    }
}
