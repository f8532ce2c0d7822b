import JSON
import Records
import Storage
import Sync
import Testing

@Suite struct `The verdict on a mutation` {
    private func edited() throws -> Office {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "x")])
        office.sync()
        try office.update("Post", "p1", [("title", "b")])
        return office
    }

    @Test func `ok makes the answer the truth`() throws {
        let office = try edited()
        office.shelf.verdict = { operation in
            .ok(
                version: 9,
                record: JSONObject([("id", "p1"), ("title", "B"), ("rating", 1)]),
                assignedID: nil)
        }
        #expect(try office.push() == .answered(1))
        #expect(try office.store.mutations().isEmpty)
        #expect(try office.shown("Post", "p1")?["title"] == "B")
        #expect(try office.shown("Post", "p1")?["rating"] == 1)
    }

    @Test func `conflict merges by field and goes again`() throws {
        let office = try edited()
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "theirs")])
        #expect(office.sync().report.pushed > 0)
        #expect(office.shelf.record("Post", "p1")?["title"] == "b")
        #expect(office.shelf.record("Post", "p1")?["body"] == "theirs")
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `conflict of an edit leaves a delete after it one of what is there`() throws {
        let office = try edited()
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "theirs")])
        _ = try office.push()
        try office.delete("Post", "p1")
        office.sync { $0.pulls = false }
        #expect(office.shelf.record("Post", "p1") == nil)
        #expect(try office.store.mutations().isEmpty)
    }

    @Test func `conflict on one field waits for a person and stays in view`() throws {
        let office = try edited()
        office.shelf.write("Post", "p1", [("title", "theirs"), ("body", "x")])
        let report = office.sync().report
        #expect(report.conflicts == 1)
        #expect(report.remaining == 0)
        #expect(try office.first().state == .conflict)
        #expect(try office.shown("Post", "p1")?["title"] == "b")
    }

    @Test func `conflict that does not tell the record is asked about`() throws {
        let office = try edited()
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "theirs")])
        var isFirst = true
        office.shelf.verdict = { _ in
            defer { isFirst = false }
            return isFirst ? .conflict(.unknown) : nil
        }
        office.sync()
        #expect(office.shelf.record("Post", "p1")?["title"] == "b")
        #expect(office.shelf.record("Post", "p1")?["body"] == "theirs")
    }

    @Test func `conflict that tells another record is asked about`() throws {
        let office = try edited()
        office.shelf.write("Post", "p1", [("title", "a"), ("body", "theirs")])
        var isFirst = true
        office.shelf.verdict = { _ in
            defer { isFirst = false }
            let other = JSONObject([("id", "p2"), ("title", "another's")])
            return isFirst ? .conflict(.record(other, version: 99)) : nil
        }
        #expect(office.sync().failure == nil)
        #expect(office.shelf.record("Post", "p1")?["title"] == "b")
        #expect(office.shelf.record("Post", "p1")?["body"] == "theirs")
        #expect(try office.shown("Post", "p2") == nil)
        #expect(try office.store.quarantine().isEmpty)
    }

    @Test func `conflict that always tells another record parks this one`() throws {
        let office = try edited()
        office.shelf.able.hasFetch = false
        office.shelf.verdict = { _ in
            .conflict(.record(JSONObject([("id", "p2"), ("title", "another's")]), version: 99))
        }
        for _ in 0..<20 { _ = try office.push(PushSelection(ignoresDelay: true)) }
        #expect(try office.first().state == .conflict)
        #expect(office.shelf.pushes.count == 8)
        #expect(try office.shown("Post", "p1")?["title"] == "b")
        #expect(try office.shown("Post", "p2") == nil)
    }

    @Test func `ok that tells another record takes what was sent for the truth`() throws {
        let office = try edited()
        office.shelf.verdict = { _ in
            .ok(
                version: 9, record: JSONObject([("id", "p2"), ("title", "another's")]),
                assignedID: nil)
        }
        #expect(try office.push() == .answered(1))
        #expect(try office.shown("Post", "p1")?["title"] == "b")
        #expect(try office.shown("Post", "p2") == nil)
        #expect(try office.store.quarantine().map(\.id) == [RecordID("p1")])
    }

    static let policies: [MergePolicy] = [.manual, .server, .local, .max, .min]

    @Test(arguments: policies) func `comes to the same whether push or pull meets the other edit`(
        _ policy: MergePolicy
    ) throws {
        var ends: [String] = []
        for pullsFirst in [true, false] {
            let settings = SyncSettings(policies: ["Post": MergePolicies(model: policy)])
            let office = try Office(settings: settings)
            office.shelf.write("Post", "p1", [("title", "a"), ("rating", 1)])
            office.sync()
            try office.update("Post", "p1", [("title", "mine"), ("rating", 7)])
            office.shelf.write("Post", "p1", [("title", "theirs"), ("rating", 1)])
            office.sync { if pullsFirst { $0.pushes = false } else { $0.pulls = false } }
            office.sync()
            let shown = try office.shown("Post", "p1").map { JSONValue.object($0).serialized() }
            let there = office.shelf.record("Post", "p1")?["title"]?.text
            let queue = try office.store.mutations().map {
                "\($0.state) \(JSONValue.object($0.set).serialized())"
            }
            ends.append("\(shown ?? "") \(there ?? "") \(queue)")
        }
        #expect(ends[0] == ends[1])
    }

    @Test func `conflict eight times in a row parks the record`() throws {
        let office = try edited()
        office.shelf.verdict = { _ in
            office.shelf.write("Post", "p1", [("title", "a"), ("body", .int(office.clock.now))])
            office.clock.now += 1
            let version = office.shelf.entries[RecordKey("Post", RecordID("p1"))]?.version ?? 0
            return .conflict(
                .record(
                    JSONObject([("id", "p1"), ("title", "a"), ("body", .string("\(version)"))]),
                    version: .int(version)))
        }
        for _ in 0..<20 { _ = try office.push(PushSelection(ignoresDelay: true)) }
        #expect(try office.first().state == .conflict)
        #expect(try office.first().attempts == 8)
        #expect(office.shelf.pushes.count == 8)
    }

    @Test(arguments: [nil, 7] as [JSONValue?])
    func `not found is what a delete wanted`(_ version: JSONValue?) throws {
        let office = try Office()
        office.shelf.write("Post", "p1", [("title", "a")])
        office.sync()
        try office.delete("Post", "p1")
        office.shelf.verdict = { _ in .conflict(.gone(version: version)) }
        #expect(try office.push() == .answered(1))
        #expect(try office.store.mutations().isEmpty)
        #expect(try office.shown("Post", "p1") == nil)
        #expect(
            !office.notices.contains { notice in
                if case .conflict = notice { true } else { false }
            })
    }

    @Test func `rejected rolls back and keeps the mutation with its reason`() throws {
        let office = try edited()
        office.shelf.verdict = { _ in
            .rejected(message: "too rude", code: "rule", field: "title")
        }
        #expect(office.sync().report.rejected == 1)
        #expect(try office.first().state == .rejected)
        #expect(
            try office.first().failure
                == Mutation.Failure(kind: "rule", message: "too rude", field: "title"))
        #expect(try office.shown("Post", "p1")?["title"] == "a")
    }

    @Test func `one rejected does not keep the others`() throws {
        let office = try Office()
        for number in 1...5 { try office.create("Post", "p\(number)") }
        office.shelf.verdict = { operation in
            operation.id.text == "p3" ? .rejected(message: "no", code: nil, field: nil) : nil
        }
        #expect(office.sync().report.pushed == 4)
        #expect(office.shelf.applied.map(\.id.text) == ["p1", "p2", "p4", "p5"])
    }

    @Test func `retry holds this mutation as long as the backend says, and charges nothing`() throws
    {
        let office = try edited()
        office.shelf.verdict = { _ in .retry(message: "busy", afterMilliseconds: 60_000) }
        #expect(try office.push() == .answered(0))
        #expect(try office.first().notBefore == office.clock.now + 60_000)
        #expect(try office.first().attempts == 0)
        #expect(try office.push() == .idle)
        let key = try office.first().key
        office.clock.now += 60_000
        office.shelf.verdict = { _ in nil }
        #expect(try office.push() == .answered(1))
        #expect(office.shelf.applied.first?.key == key)
    }

    @Test func `auth charges nothing, drops nothing, and goes on after the login`() throws {
        let office = try edited()
        office.shelf.verdict = { _ in .auth(message: "log in") }
        guard case .backend(let error)? = office.sync().failure else {
            Issue.record("it went on")
            return
        }
        #expect(error.kind == .auth)
        #expect(try office.first().state == .queued)
        #expect(try office.first().attempts == 0)
        office.shelf.verdict = { _ in nil }
        #expect(office.sync().report.pushed == 1)
    }

    @Test func `none leaves the outcome unknown: the same key goes again, once in effect`() throws {
        let office = try edited()
        office.shelf.isTold = { _ in false }
        #expect(try office.push() == .answered(0))
        #expect(try office.first().state == .unknown)
        office.shelf.isTold = { _ in true }
        office.clock.now += 600_000
        #expect(try office.push() == .answered(1))
        #expect(office.shelf.applied.count == 1)
        #expect(Set(office.shelf.pushes.flatMap(\.self)).count == 1)
    }

    @Test func `a refused create holds the record's later edits and what refers to it`() throws {
        let office = try Office()
        try office.create("Post", "p1", [("title", "bad")])
        try office.create("Comment", "c1", [("postID", "p1")])
        office.shelf.verdict = { _ in .rejected(message: "no", code: nil, field: nil) }
        #expect(office.sync().report.waiting == 1)
        #expect(office.shelf.pushes.count == 1)
    }
}

@Suite struct `A mutation whose outcome is unknown` {
    @Test func `keeps edits on top of it where the record cannot be read by now`() throws {
        let office = try Office(
            settings: SyncSettings(policies: ["Post": MergePolicies(model: .server)]))
        office.shelf.able.hasFetch = true
        try office.create("Post", "p1", [("title", "a")])
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = try office.push()
        office.shelf.afterPush = {}
        try office.update("Post", "p1", [("rating", 2)])
        office.shelf.write("Post", "p1", [("title", 7)])
        office.clock.now += 400_000
        _ = try office.push()
        #expect(try office.store.mutations().map(\.kind) == [.update])
        #expect(try office.shown("Post", "p1")?["rating"] == 2)
        #expect(try office.store.quarantine().count == 1)
    }

    private func lost(_ mode: Capabilities.Idempotency) throws -> Office {
        let office = try Office()
        office.shelf.able.idempotency = mode
        office.shelf.write("Post", "p1", [("title", "a")])
        office.sync()
        try office.update("Post", "p1", [("title", "b")])
        return office
    }

    @Test(arguments: [Capabilities.Idempotency.key, .conditional, .none])
    func `that had arrived is not sent twice`(_ mode: Capabilities.Idempotency) throws {
        let office = try lost(mode)
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = office.sync()
        #expect(try office.first().state == .unknown)
        office.shelf.afterPush = {}
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.applied.count == 1)
        #expect(office.shelf.record("Post", "p1")?["title"] == "b")
    }

    @Test(arguments: [Capabilities.Idempotency.key, .conditional, .none])
    func `that had not arrived goes again`(_ mode: Capabilities.Idempotency) throws {
        let office = try lost(mode)
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = office.sync()
        office.shelf.beforePush = { _ in }
        office.sync()
        #expect(try office.store.mutations().isEmpty)
        #expect(office.shelf.applied.count == 1)
    }

    @Test(arguments: [Capabilities.Idempotency.key, .conditional, .none])
    func `because Ctrl-C cut it off meets no conflict with itself`(
        _ mode: Capabilities.Idempotency
    ) throws {
        for hasArrived in [true, false] {
            let office = try lost(mode)
            let cut = BackendError(.cancelled, "interrupted")
            office.shelf.beforePush = { (_) throws(BackendError) in if !hasArrived { throw cut } }
            office.shelf.afterPush = { () throws(BackendError) in throw cut }
            #expect(office.sync().failure == .backend(cut))
            #expect(try office.store.mutations().count == 1)
            office.shelf.beforePush = { _ in }
            office.shelf.afterPush = {}
            let outcome = office.sync()
            #expect(outcome.failure == nil && outcome.report.conflicts == 0)
            #expect(try office.store.mutations().isEmpty)
            #expect(office.shelf.applied.count == 1)
        }
    }

    @Test(arguments: [Capabilities.Idempotency.key, .conditional, .none])
    func `is followed by what was written around the restart, the last of it last`(
        _ mode: Capabilities.Idempotency
    ) throws {
        for hasArrived in [true, false] {
            let office = try lost(mode)
            try office.update("Post", "p1", [("title", "c")])
            office.shelf.beforePush = { (_) throws(BackendError) in
                if !hasArrived { throw BackendError(.cancelled, "killed") }
            }
            office.shelf.afterPush = { () throws(BackendError) in
                throw BackendError(.cancelled, "killed")
            }
            _ = office.sync()
            // The old process is gone; edits go on before and while the next one syncs.
            office.clock.isAlive = false
            try office.update("Post", "p1", [("title", "d")])
            try office.update("Post", "p1", [("title", "e"), ("body", "y")])
            office.shelf.beforePush = { _ in }
            office.shelf.afterPush = {}
            var run = SyncRun(engine: office.another("next"), options: SyncOptions())
            #expect(run.run().failure == nil)
            #expect(try office.store.mutations().isEmpty)
            #expect(office.shelf.record("Post", "p1")?["title"] == "e")
            #expect(office.shelf.record("Post", "p1")?["body"] == "y")
            #expect(try office.shown("Post", "p1")?["title"] == "e")
        }
    }

    @Test func `and was overtaken is a conflict where keys are not known`() throws {
        let office = try lost(.conditional)
        office.shelf.beforePush = { (_) throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = office.sync()
        office.shelf.beforePush = { _ in }
        office.shelf.write("Post", "p1", [("title", "theirs")])
        #expect(office.sync().report.conflicts == 1)
    }

    @Test func `after a crash is every one that was being sent`() throws {
        let office = try lost(.key)
        var mutation = try office.first()
        mutation.state = .sending
        mutation.isFrozen = true
        try office.store.write { () throws(StoreError) in try office.store.updateMutation(mutation)
        }
        try office.engine.takeLease()
        #expect(try office.first().state == .unknown)
    }

    @Test func `never takes the record back to what a known key's first answer said`() throws {
        let office = try lost(.key)
        office.shelf.afterPush = { () throws(BackendError) in
            throw BackendError(.retryable, "cut")
        }
        _ = office.sync { $0.pulls = false }
        office.shelf.afterPush = {}
        office.shelf.write("Post", "p1", [("title", "b"), ("body", "newer")])
        _ = office.sync { $0.pushes = false }
        #expect(try office.shown("Post", "p1")?["body"] == "newer")
        office.sync { $0.pulls = false }
        #expect(try office.store.mutations().isEmpty)
        #expect(try office.shown("Post", "p1")?["body"] == "newer")
    }

    @Test func `keeps an edit that was made meanwhile`() throws {
        let office = try lost(.key)
        office.shelf.beforePush = { (_) throws(BackendError) in
            do {
                try office.update("Post", "p1", [("title", "c")])
            } catch {
                throw BackendError(.broken, "\(error)")
            }
        }
        #expect(try office.push() == .answered(1))
        #expect(try office.shown("Post", "p1")?["title"] == "c")
        office.shelf.beforePush = { _ in }
        office.sync()
        #expect(office.shelf.applied.map { $0.set["title"] } == ["b", "c"])
        // On the version that the first one made, so that it met no conflict.
        #expect(office.shelf.pushes.count == 2)
    }
}
