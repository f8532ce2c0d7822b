import JSON
import Outbox
import Records
import Storage
import Sync
import Testing

@Suite struct `A merge that a program decides` {
    private func disputed(
        _ policies: MergePolicies = MergePolicies(fields: ["title": .command("merge-titles")])
    ) throws -> Office {
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
            #expect(input["fields"] == ["title"])
            // No transaction is open: another one could write here.
            #expect(throws: Never.self) {
                try office.store.write { () throws(StoreError) in
                    try office.store.setMeta(.client, "yes")
                }
            }
            return .record(JSONObject([("title", "both"), ("body", "ignored")]))
        }
        #expect(office.sync().report.conflicts == 0)
        #expect(office.shelf.record("Post", "p1")?["title"] == "both")
        #expect(office.shelf.record("Post", "p1")?["body"] == "y")
    }

    static let failures: [MergeAnswer] = [
        .failed("no program"), .record(JSONObject()), .record(JSONObject([("title", 7)])),
        .record(JSONObject([("id", "p2"), ("title", "both")])),
    ]

    @Test(arguments: failures)
    func `waits for a person where the program does not decide`(_ answer: MergeAnswer) throws {
        let office = try disputed()
        office.clock.resolve = { _, _ in answer }
        #expect(office.sync().report.conflicts == 1)
        let failure = try #require(try office.first().failure)
        #expect(failure.kind == "field")
        #expect(try office.shown("Post", "p1")?["title"] == "mine")
        let key = RecordKey("Post", RecordID("p1"))
        #expect(office.notices.contains(.undecided(key, reason: failure.message)))
        // It is not asked again and again,
        var calls = 0
        office.clock.resolve = { _, _ in
            calls += 1
            return .record(JSONObject([("title", "both")]))
        }
        office.sync()
        #expect(calls == 0)
        // but it is where somebody says so.
        let policies = MergePolicies(fields: ["title": .command("merge-titles")])
        let seq = try office.first().seq
        let outcome = try office.store.write { () throws(StoreError) in
            try office.outbox.retry(seq, policies: policies, group: "r")
        }
        #expect(outcome == .done)
        #expect(office.sync().report.conflicts == 0)
        #expect(office.shelf.record("Post", "p1")?["title"] == "both")
    }

    @Test func `is asked again by the next sync where it was not run`() throws {
        let office = try disputed()
        office.clock.resolve = { _, _ in .unasked("not trusted") }
        #expect(office.sync().report.conflicts == 1)
        #expect(try office.first().failure?.message == "not trusted")
        office.clock.resolve = { _, _ in .record(JSONObject([("title", "both")])) }
        #expect(office.sync().report.conflicts == 0)
    }

    @Test func `gives the whole record where it is the model's policy`() throws {
        let office = try disputed(
            MergePolicies(model: .command("merge-all"), fields: ["rating": .command("other")]))
        office.clock.resolve = { program, input in
            #expect(program == "merge-all")
            return .record(
                JSONObject([("id", "p1"), ("title", "both"), ("body", "y+"), ("rating", 4)]))
        }
        #expect(office.sync().report.conflicts == 0)
        let record = try #require(office.shelf.record("Post", "p1"))
        #expect(record["title"] == "both")
        #expect(record["body"] == "y+")
        #expect(record["rating"] == 4)
    }

    @Test func `asks every program that has a say in one record`() throws {
        let office = try disputed(
            MergePolicies(fields: ["title": .command("titles"), "body": .command("bodies")]))
        office.shelf.write("Post", "p1", [("title", "theirs"), ("body", "z")])
        office.clock.resolve = { program, input in
            .record(JSONObject([("title", .string(program)), ("body", .string(program))]))
        }
        #expect(office.sync().report.conflicts == 0)
        #expect(office.shelf.record("Post", "p1")?["title"] == "titles")
        #expect(office.shelf.record("Post", "p1")?["body"] == "bodies")
    }

    @Test func `ends the conflict that it was asked about, of two of one record`() throws {
        let policies = MergePolicies(fields: ["body": .command("bodies")])
        let office = try Office(settings: SyncSettings(policies: ["Post": policies]))
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "x")])
        office.sync()
        try office.update("Post", "p1", [("title", "mine")])
        office.shelf.verdict = { _ in .retry(message: "later", afterMilliseconds: 100_000) }
        _ = try office.push()
        try office.update("Post", "p1", [("body", "y")])
        office.shelf.write("Post", "p1", [("title", "theirs"), ("body", "z")])
        office.shelf.verdict = { _ in nil }
        office.clock.resolve = { program, _ in
            #expect(program == "bodies")
            return .record(JSONObject([("body", "both")]))
        }
        #expect(office.sync().report.conflicts == 1)
        let left = try office.store.mutations()
        #expect(left.map(\.state) == [.conflict, .queued], "\(left)")
        #expect(left.last?.set["body"] == "both")
    }

    @Test func `is not taken where the record moved on meanwhile`() throws {
        let office = try disputed()
        var calls = 0
        office.clock.resolve = { _, _ in
            calls += 1
            do {
                guard calls == 1 else { return .record(JSONObject([("title", "both")])) }
                try office.update("Post", "p1", [("rating", 3)])
                let seq = try office.first().seq
                _ = try office.store.write { () throws(StoreError) in
                    try office.outbox.edit(
                        seq, set: JSONObject([("title", "mine after all")]), group: "g")
                }
            } catch {
                Issue.record("\(error)")
            }
            return .record(JSONObject([("title", "neither")]))
        }
        office.sync()
        #expect(calls == 2)
        #expect(office.shelf.record("Post", "p1")?["title"] == "both")
        #expect(office.shelf.record("Post", "p1")?["rating"] == 3)
    }
}
