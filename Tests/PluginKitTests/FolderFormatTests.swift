import JSON
import Records
import Testing

@testable import satchel_backend_folder

@Suite struct `The files of a folder` {
    @Test func `show a record as people read it`() throws {
        let stored = StoredRecord(
            version: 3, record: JSONObject([("id", "a"), ("tags", ["x", .big("1e400")])]))
        let content = stored.content()
        #expect(
            String(decoding: content, as: UTF8.self) == """
                {
                  "version": 3,
                  "record": {
                    "id": "a",
                    "tags": [
                      "x",
                      1e400
                    ]
                  }
                }

                """)
        #expect(try content.withUnsafeBytes { try StoredRecord($0) } == stored)
        let gone = StoredRecord(version: 4, record: nil)
        #expect(try gone.content().withUnsafeBytes { try StoredRecord($0) } == gone)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"version":1}"#, #"{"version":1,"record":[]}"#, #"{"record":{}}"#,
        #"{"version":1.5,"record":{}}"#, #"{"version":1,"record":{"a":1,"a":2}}"#,
    ]) func `are told from broken ones`(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = #expect(throws: StoredRecord.Broken.self) {
                try StoredRecord(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    @Test(arguments: [
        LogLine(
            seq: 1, key: "k", model: "Post", id: RecordID("a"), kind: .create, version: 1,
            client: ""),
        LogLine(
            seq: 9_000_000, key: "q\"\\", model: "Post", id: RecordID("é\n\"/"), kind: .delete,
            version: 7, client: "satchel \"x\""),
    ]) func `keep the log's lines`(_ line: LogLine) {
        let bytes = Array(line.bytes.dropLast())
        bytes.withUnsafeBytes { bytes in
            #expect(LogLine(bytes) == line)
            if let outline = LogLine.Outline(bytes) {
                #expect(outline.seq == line.seq)
                #expect(outline.model.elementsEqual(line.model.utf8))
                #expect(outline.key.elementsEqual(line.key.utf8))
            }
        }
        for count in 0..<bytes.count {
            bytes.prefix(count).withUnsafeBytes { #expect(LogLine($0) == nil) }
        }
    }

    @Test func `keep a journal whole or not at all`() {
        let journal = Journal(
            entries: [
                .init(model: "Post", file: "a.json", version: 1, content: Array("{\n}\n".utf8)),
                .init(model: "Tag", file: "%2E.json", version: 12, content: []),
            ], lines: Array("one\ntwo\n".utf8), firstSeq: 41)
        let bytes = journal.encoded
        let read = Journal.all(in: bytes + bytes)
        #expect(read.count == 2)
        #expect(read.allSatisfy { $0.entries == journal.entries && $0.firstSeq == 41 })
        #expect(read.first?.lines == journal.lines)
        for count in bytes.indices {
            #expect(Journal.all(in: Array(bytes[..<count])).isEmpty)
            #expect(Journal.all(in: bytes + bytes[..<count]).count == 1)
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(Journal.all(in: damaged).isEmpty)
        }
    }

    @Test func `give cursors that can be read back`() {
        let position = LogPosition(seq: 7, offset: 900, check: "0011223344556677")
        for after in [nil, "a%2Fb"] {
            let cursor = FolderCursor(epoch: "e", position: position, after: after)
            #expect(FolderCursor(cursor.json) == cursor)
        }
        #expect(FolderCursor("another plugin's") == nil)
        #expect(FolderCursor(["e": "x", "s": 1, "o": -1, "h": ""]) == nil)
    }
}
