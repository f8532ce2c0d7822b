import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `A merge that a program decides` {
    private func disputed() throws -> Office {
        let policies = MergePolicies(
            model: .manual, fields: ["title": .command("merge-titles")])
        let office = try Office(settings: SyncSettings(policies: ["Post": policies]))
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "x")])
        office.sync()
        try office.update("Post", "p1", [("title", "mine"), ("body", "y")])
        office.shelf.write("Post", "p1", [("title", "theirs"), ("body", "x")])
        return office
    }

    @Test func `is asked with three records and goes out in the same sync`() throws {
        let office = try disputed()
        office.clock.resolve = { program, input in
            #expect(program == "merge-titles")
            #expect(input["base"]?["title"] == "a")
            #expect(input["local"]?["title"] == "mine")
            #expect(input["remote"]?["title"] == "theirs")
            // No transaction is open: another one could write here.
            #expect(throws: Never.self) {
                try office.store.write { () throws(StoreError) in
                    try office.store.setMeta("seen", "yes")
                }
            }
            return JSONObject([("title", "both"), ("body", "ignored")])
        }
        #expect(office.sync().report.conflicts == 0)
        #expect(office.shelf.record("Post", "p1")?["title"] == "both")
        #expect(office.shelf.record("Post", "p1")?["body"] == "y")
    }

    @Test func `waits for a person where the program fails, or answers what is no value`() throws {
        for answer in [nil, JSONObject(), JSONObject([("title", 7)])] {
            let office = try disputed()
            office.clock.resolve = { _, _ in answer }
            #expect(office.sync().report.conflicts == 1)
            #expect(try office.first().failure?.kind == "field")
            #expect(try office.shown("Post", "p1")?["title"] == "mine")
        }
    }

    @Test func `is not taken where the record moved on meanwhile`() throws {
        let office = try disputed()
        var calls = 0
        office.clock.resolve = { _, _ in
            calls += 1
            do {
                if calls == 1 { try office.update("Post", "p1", [("rating", 3)]) }
            } catch {
                Issue.record("\(error)")
            }
            return JSONObject([("title", "both")])
        }
        office.sync()
        office.sync()
        #expect(office.shelf.record("Post", "p1")?["title"] == "both")
        #expect(office.shelf.record("Post", "p1")?["rating"] == 3)
    }
}
