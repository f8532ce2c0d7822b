import JSON
import Records
import Shell
import Testing

@Suite struct `What a write gives back` {
    private let model = Model(
        name: "Post", fields: [Field("id", .scalar(.id)), Field("title", .scalar(.string))])

    private func written(
        _ format: OutputFormat, _ ids: [String], isSingle: Bool = false, width: Int? = nil
    ) throws -> String {
        let memory = MemoryOutput()
        var listing = Listing(format: format)
        listing.isSingle = isSingle
        listing.width = width
        var writer = ReceiptWriter(listing, model: model, to: memory)
        for id in ids {
            let record = JSONObject([("id", .string(id)), ("title", "Tea\u{1b}")])
            try writer.write(
                .created, RecordID(id), record: writer.wantsRecords ? record : nil)
        }
        try writer.end()
        return memory.text
    }

    @Test func `is the id, and a friendly line on a terminal`() throws {
        #expect(try written(.tsv, ["a", "b"]) == "a\nb\n")
        #expect(try written(.id, ["a"]) == "a\n")
        #expect(try written(.table, ["a"]) == "a\n")
        #expect(try written(.table, ["a"], width: 80) == "created Post a  Tea␛\n")
    }

    @Test func `is the record in formats that hold it`() throws {
        let object = #"{"id":"a","title":"Tea\u001b"}"#
        #expect(try written(.json, ["a"], isSingle: true) == object + "\n")
        #expect(try written(.json, ["a"]) == "[\(object)]\n")
        #expect(try written(.json, []) == "[]\n")
        #expect(try written(.ndjson, ["a"], isSingle: true) == object + "\n")
        #expect(try written(.csv, ["a"]) == "id,title\na,Tea\u{1b}\n")
    }

    @Test func `of count and import is a number and numbers`() throws {
        for (format, text) in [
            (OutputFormat.json, "{\"count\":7}\n"), (.tsv, "7\n"), (.table, "7\n"),
        ] {
            let memory = MemoryOutput()
            try RecordCount(7).write(Listing(format: format), to: memory)
            #expect(memory.text == text)
        }
        var summary = ImportSummary()
        #expect(summary.text(.plain) == "nothing to import\n")
        summary.created = 1200
        summary.failed = 1
        #expect(summary.text(.plain) == "1,200 created, 1 failed\n")
        #expect(
            JSONValue.object(summary.json).serialized()
                == #"{"created":1200,"updated":0,"unchanged":0,"failed":1}"#)
    }
}
