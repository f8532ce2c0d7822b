import JSON
import Testing

@Suite struct `A list that is read element by element` {
    /// An element that spoils only itself.
    struct Bad: CustomTestStringConvertible {
        var testDescription: String
        var text: [UInt8]
        var reason: String
        var id: JSONValue? = "b"
        var broken: String?

        init(
            _ name: String, _ text: String, _ reason: String, id: JSONValue? = "b",
            broken: String? = nil
        ) {
            testDescription = name
            // A private use character stands for a byte that is no UTF-8.
            self.text = Array(text.utf8).split(
                separator: [0xEE, 0x80, 0x80], omittingEmptySubsequences: false
            ).map(Array.init).joined(separator: [0xFF]).map { $0 }
            self.reason = reason
            self.id = id
            self.broken = broken
        }
    }

    static let bad = [
        Bad(
            "a key twice", #"{"id":"b","record":{"x":1,"x":2}}"#,
            #"the key "x" appears twice in one object (column 27)"#, broken: #"{"x":1,"x":2}"#),
        Bad(
            "its own key twice", #"{"id":"b","id":"c","record":{}}"#,
            #"the key "id" appears twice in one object (column 11)"#, id: nil),
        Bad(
            "a key twice, once escaped", #"{"id":"b","record":{},"\u0072ecord":{}}"#,
            #"the key "record" appears twice in one object (column 23)"#),
        Bad(
            "too deep", #"{"record":\#(nested(30)), "id" : "b" }"#,
            "nested deeper than 10 levels (column 56)", broken: nested(30)),
        Bad(
            "900 deep", #"{"record":\#(nested(900)),"id":"b"}"#,
            "nested deeper than 10 levels (column 56)", broken: nested(900)),
        Bad(
            "NaN", #"{"record":{"x":NaN},"id":"b"}"#, "expected a value, found 'N' (column 16)",
            broken: #"{"x":NaN}"#),
        Bad(
            "-Infinity", #"{"id":"b","record":-Infinity}"#,
            "a number is not written as JSON wants it (column 20)", broken: "-Infinity"),
        Bad("alone", "NaN", "expected a value, found 'N' (column 1)", id: nil),
        Bad(
            "half a surrogate pair", #"{"id":"b","record":{"x":"\ud800"}}"#,
            "a string has half of a surrogate pair (column 26)", broken: #"{"x":"\ud800"}"#),
        Bad(
            "a surrogate in its id", #"{"id":"\ud800","record":{"x":1}}"#,
            "a string has half of a surrogate pair (column 8)", id: nil, broken: #""\ud800""#),
        Bad(
            "bytes that are no UTF-8", "{\"id\":\"b\",\"record\":{\"x\":\"\u{E000}\u{E000}é\"}}",
            "not UTF-8 (column 26)", broken: "{\"x\":\"\u{FFFD}\u{FFFD}é\"}"),
        Bad(
            "no UTF-8 in a key", "{\"id\":\"b\",\"\u{E000}\":1}", "not UTF-8 (column 12)"),
        Bad(
            "a control character", "{\"id\":\"b\",\"record\":{\"x\":\"a\u{1}b\\\"\"}}",
            "a control character inside a string must be written as an escape such as \\n (column 27)",
            broken: "{\"x\":\"a\u{1}b\\\"\"}"),
        Bad(
            "no comma", #"{"id":"b","record":{"x":1 "y":2}}"#,
            #"expected ',' or '}', found '"' (column 27)"#, broken: #"{"x":1 "y":2}"#),
        Bad(
            "two bad members", #"{"id":NaN,"record":Inf}"#,
            "expected a value, found 'N' (column 7)",
            id: nil),
        Bad(
            "a bad one that nobody asked for", #"{"x":NaN,"id":"b"}"#,
            "expected a value, found 'N' (column 6)"),
    ]

    @Test(arguments: bad) func `loses a bad one alone`(_ bad: Bad) throws {
        // Padded, so that the keys of rows are remembered.
        for filler in ["", String(repeating: " ", count: 2_000)] {
            let good = #"{"id":"a","record":{"x":1,"y":[{}]}}"#
            var text = Array(#"{"result":{"cursor":1,"records":[\#(good) , \#(good),"#.utf8)
            text += bad.text
            text += Array(#" , \#(good)],"more":true},"id":7\#(filler)}"#.utf8)
            let (value, rows) = try read(text)
            #expect(value == ["result": ["cursor": 1, "records": [], "more": true], "id": 7])
            #expect(rows.count == 4)
            for row in [rows[0], rows[1], rows[3]] {
                #expect(row.fault == nil)
                #expect(row.values == ["a", ["x": 1, "y": [[:]]], .none])
            }
            #expect(rows[2].fault == bad.reason)
            #expect(rows[2].values[0] == bad.id)
            #expect(rows[2].broken == bad.broken)
            #expect(rows[2].text == String(decoding: bad.text, as: UTF8.self))
        }
    }

    @Test(arguments: [
        (#"{"result":{"records":[{"id":"a"]}]}}"#, "expected ',' or '}', found ']' (column 32)"),
        (
            #"{"result":{"records":[{"id":"a"}{"id":"b"}]}}"#,
            "expected ',' or ']', found '{' (column 33)"
        ),
        (
            #"{"result":{"records":[{"id":NaN}],"cursor":NaN}}"#,
            "expected a value, found 'N' (column 44)"
        ),
        (#"{"result":{"records":[{"id":"a"#, "a string has no closing quote (column 29)"),
        (#"{"result":{"records":[{"id":1"#, "expected ',' or '}', found the end (column 30)"),
        (
            #"{"result":{"records":[],"records":[]}}"#,
            #"the key "records" appears twice in one object (column 25)"#
        ),
        (
            "{\"result\":{\"records\":[{\"id\":\"\u{1}\"}]},\"x\":\"\u{1}\"}",
            "a control character inside a string must be written as an escape such as \\n (column 41)"
        ),
    ])
    func `is refused where nothing tells its elements apart`(_ text: String, _ message: String) {
        let error = #expect(throws: JSONError.self) { try read(Array(text.utf8)) }
        #expect(error?.message == message)
    }

    @Test func `takes elements that are no objects, and keys in any order`() throws {
        let (_, rows) = try read(
            Array(
                #"{"result":{"records":[5,"x",[],{},{"deleted":true,"zz":[1],"record":null,"id":6,"\u0069":0}]}}"#
                    .utf8))
        #expect(rows.map(\.fault) == [nil, nil, nil, nil, nil])
        #expect(rows.map(\.text)[0..<4] == ["5", #""x""#, "[]", "{}"])
        #expect(rows[4].values == [6, .some(.null), true])
    }

    @Test func `is put together from what is made of its elements`() throws {
        let text = Array(
            #"{"data":{"a":{"items":[1,NaN]},"b":{"items":[{"x":1}]}},"items":[2]}"#.utf8)
        let rows = JSONRows(["data", nil, "items"], of: [], maxDepth: 5) { row in
            row.fault == nil ? row.whole : .string("bad \(row.text)")
        }
        let value = try text.withUnsafeBytes { try JSONValue.parse($0, rows: [rows]) }
        #expect(
            value
                == [
                    "data": ["a": ["items": [1, "bad NaN"]], "b": ["items": [["x": 1]]]],
                    "items": [2],
                ])
    }

    @Test func `tells of an object that cannot be read what can be`() {
        let text = Array(#"{"method":"event","params":{"record":{"x":NaN}},"id":4}"#.utf8)
        #expect(
            text.withUnsafeBytes {
                JSONValue.members(["method", "params", "id"], ofUnreadable: $0)
            }
                == ["event", .none, 4])
        #expect(
            Array("{".utf8).withUnsafeBytes { JSONValue.members(["method"], ofUnreadable: $0) }
                == [.none])
    }

    /// What a test keeps of a row.
    struct Kept {
        var values: [JSONValue?]
        var fault: String?
        var broken: String?
        var text: String
    }

    private func read(_ text: [UInt8]) throws -> (JSONValue, [Kept]) {
        var kept: [Kept] = []
        let rows = JSONRows(
            ["result", "records"], of: ["id", "record", "deleted"], maxDepth: 10
        ) { row in
            kept.append(
                Kept(
                    values: row.values, fault: row.fault?.message, broken: row.broken?.text,
                    text: row.text))
            return .none
        }
        let value = try text.withUnsafeBytes { try JSONValue.parse($0, rows: [rows]) }
        return (value, kept)
    }
}

private func nested(_ depth: Int) -> String {
    String(repeating: #"{"d":"#, count: depth) + "1" + String(repeating: "}", count: depth)
}

@Suite struct `Rows that look alike` {
    /// Lists of objects whose keys come in changing orders, some left out, some doubled.
    @Test func `are told apart by every key`() throws {
        let keys = ["id", "title", "a-rather-long-key-of-a-field", "x", "", "é"]
        var random = SeededRandom(seed: 7)
        for _ in 0..<300 {
            var members: [String] = []
            for _ in 0..<24 {
                var row = keys.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
                if Int.random(in: 0..<6, using: &random) == 0 { row.shuffle(using: &random) }
                if Int.random(in: 0..<40, using: &random) == 0, let key = row.first {
                    row.append(key)
                }
                members.append(
                    "{"
                        + row.map { "\"\($0)\":[{\"k\":\"value value value\"}]" }.joined(
                            separator: ",") + "}")
            }
            let text = "[" + members.joined(separator: ",") + "]"
            // One by one the texts are too short for what is known of the rows before.
            let isGood = members.allSatisfy { error($0) == nil }
            let whole = error(text)
            #expect((whole == nil) == isGood)
            if isGood { #expect(try JSONValue.parse(text).serialized() == text) }
            if let whole { #expect(whole.kind == .duplicateKey) }
        }
    }
}
