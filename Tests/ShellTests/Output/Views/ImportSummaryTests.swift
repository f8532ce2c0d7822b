import JSON
import Shell
import Testing

@Suite struct `What an import did` {
    @Test func `is counted`() throws {
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
