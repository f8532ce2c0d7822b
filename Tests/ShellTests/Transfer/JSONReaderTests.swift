import JSON
import Shell
import Testing

/// Every record as its line and JSON, errors in their places.
private func read(_ reader: any RecordReader) -> [String] {
    var result: [String] = []
    while result.count < 100 {
        do throws(ShellError) {
            guard let record = try reader.next() else { return result }
            result.append("\(reader.line): \(JSONValue.object(record).serialized())")
        } catch {
            result.append("\(error.line ?? 0)! \(error.message)")
        }
    }
    return result
}

@Suite struct `Reading JSON files` {
    static let files: [(String, [String])] = [
        ("[]", []), (" [ ] \n", []), ("", []), (#"[{"a":1}]"#, [#"1: {"a":1}"#]),
        (
            "\u{FEFF}[\n{\"a\":1},\n {\"b\":[{},\"]\"]}\n]\n",
            [#"2: {"a":1}"#, #"3: {"b":[{},"]"]}"#]
        ),
        (#"{"a":1}"#, [#"1: {"a":1}"#]),
        ("{\"a\":\n1}\n{\"b\":2}{}", [#"1: {"a":1}"#, #"3: {"b":2}"#, "3: {}"]),
        (#"[{"a":"\\\"}]{["}]"#, [#"1: {"a":"\\\"}]{["}"#]),
        (
            "[1,\n\"x\",[2],null]",
            [
                "1! a record must be a JSON object, not a number",
                "2! a record must be a JSON object, not a text",
                "2! a record must be a JSON object, not an array",
                "2! a record must be a JSON object, not null",
            ]
        ),
        ("[{\"a\":1}\n{\"b\":2}]", [#"1: {"a":1}"#, "2! expected ',' or ']' between two records"]),
        (
            #"[{"a":1},]"#,
            [#"1: {"a":1}"#, "1! expected a value, found ']'", "1! the array has no closing ]"]
        ),
        (#"[{"a":1}"#, [#"1: {"a":1}"#, "1! the array has no closing ]"]),
        (#"[{"a":1"#, ["1! a record is never closed"]),
        ("[{}] x", ["1: {}", "1! text after the array"]),
        ("[{\"a\":\n\n tru},\n{}]", ["3! expected a value, found a word that is none", "4: {}"]),
        (#"[{"a":1,"a":2},{}]"#, [#"1! the key "a" appears twice in one object"#, "1: {}"]),
    ]

    @Test(arguments: files)
    func `takes an array or a sequence`(_ text: String, _ records: [String]) {
        for step in [1, 2, 5, .max] {
            #expect(read(JSONElementsReader(MemorySource(Array(text.utf8), step: step))) == records)
        }
    }

    @Test func `takes an object a line`() {
        let text = "\u{FEFF}{\"a\":1}\n\n{\"b\":}\n[1]\r\n  {\"c\":3}\r\n{\"d\":4}"
        for step in [1, 3, .max] {
            #expect(
                read(JSONLinesReader(MemorySource(Array(text.utf8), step: step))) == [
                    #"1: {"a":1}"#, "3! expected a value, found '}'",
                    "4! a record must be a JSON object, not an array", #"5: {"c":3}"#,
                    #"6: {"d":4}"#,
                ])
        }
    }

    @Test func `refuses a line that is not UTF-8 and goes on`() {
        let text = Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}\n{}\n".utf8)
        #expect(read(JSONLinesReader(MemorySource(text))) == ["1! not UTF-8", "2: {}"])
    }

    @Test(
        arguments: [
            ("a.json", "", .json), ("dir.x/a.JSONL", "", .ndjson), ("a.ndjson", "", .ndjson),
            ("a.csv", "[", .csv), ("a.tab", "", .tsv), (nil, " [", .json),
            (nil, "{\"a\":1}\n{}", .ndjson),
            (nil, "{\n", .json), (nil, "a\tb\n1,2\t3", .tsv), (nil, "a,b", .csv),
            ("a.txt", "a", .csv),
            (nil, "", .csv), (nil, "\u{FEFF}[", .json),
        ] as [(String?, String, ImportRequest.Format)])
    func `knows a format by name or beginning`(
        _ path: String?, _ text: String, _ format: ImportRequest.Format
    ) throws {
        #expect(
            try ImportSource(format: nil, path: path, MemorySource(Array(text.utf8))).format
                == format)
        #expect(
            try ImportSource(format: .tsv, path: path, MemorySource(Array(text.utf8))).format
                == .tsv)
    }
}

@Suite struct `Exports` {
    @Test func `are read back as they were written`() throws {
        let memory = MemoryOutput()
        var writer = ExportWriter(to: memory)
        writer.begin(model: "Post", columns: Columns(Column.values("id", "n")))
        try writer.row(ValuesRow(["a", 1]))
        writer.begin(model: "Tag", columns: Columns(Column.values("id")))
        try writer.row(ValuesRow(["t"]))
        try writer.end()
        #expect(
            memory.text == """
                {"model":"Post","record":{"id":"a","n":1}}
                {"model":"Tag","record":{"id":"t"}}

                """)
        let reader = ExportReader(MemorySource(memory.bytes + Array("{\"id\":1}\n".utf8)))
        let first = try #require(try reader.next())
        #expect(first.model == "Post" && first.record == JSONObject([("id", "a"), ("n", 1)]))
        #expect(try reader.next()?.model == "Tag")
        let error = #expect(throws: ShellError.self) { try reader.next() }
        #expect(error?.line == 3)
        #expect(try reader.next() == nil)
    }
}
