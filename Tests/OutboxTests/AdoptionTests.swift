import JSON
import Outbox
import Records
import Storage
import Testing

@Suite struct `A schema change over a queue` {
    static let without = SchemaDesk.base.replacing("stars: String", with: "")
    static let typed = SchemaDesk.base.replacing("stars: String", with: "stars: Int")
    static let renamed = SchemaDesk.base.replacing("stars: String", with: "rating: Int")
    static let told = SchemaDesk.base.replacing(
        "stars: String", with: "rating: Int @renamed(from: \"stars\")")
    static let noPost = "type Comment @model { id: ID! text: String postID: ID }"

    private func desk() throws -> SchemaDesk {
        let desk = try SchemaDesk()
        try desk.pulled("Post", "p1", [("title", "one"), ("stars", "3")])
        try desk.pulled("Post", "p2", [("title", "two"), ("stars", "5")])
        return desk
    }

    @Test func `parks an edit of a field that left, and takes it back when the field returns`()
        throws
    {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.update("Post", "p2", [("title", "deux")])
        try desk.adopt(Self.without)
        #expect(try desk.queue() == ["1 update p1 stars rejected", "2 update p2 title queued"])
        #expect(try desk.reason(1)?.contains("queue retry 1") == true)
        #expect(desk.store.parked == 1)
        #expect(try desk.shown("Post", "p1")?["stars"] == "3")
        #expect(try desk.shown("Post", "p2")?["title"] == "deux")
        #expect(try desk.store.changes(after: 0).last?.kind == .rejected)
        try desk.requireSound()
        guard case .refused(let reason) = try desk.retry(1) else {
            Issue.record("it was offered")
            return
        }
        #expect(reason.contains("stars"))
        try desk.adopt(SchemaDesk.base)
        #expect(desk.store.parked == 0)
        #expect(try desk.reason(1)?.contains("fits the schema again") == true)
        #expect(try desk.retry(1) == .done)
        #expect(try desk.queue() == ["1 update p1 stars queued", "2 update p2 title queued"])
        #expect(try desk.shown("Post", "p1")?["stars"] == "4")
        try desk.requireSound()
    }

    @Test func `names the field that was refused as it is called now`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        var refused = try #require(try desk.store.mutation(1))
        refused.state = .rejected
        refused.failure = Mutation.Failure(kind: "rule", message: "too many", field: "stars")
        try desk.store.updateMutation(refused)
        try desk.adopt(Self.told)
        let failure = try #require(try desk.store.mutation(1)?.failure)
        #expect(failure.kind == "rule")
        #expect(failure.field == "rating")
    }

    @Test(arguments: [
        (Self.without, "stars"),
        (SchemaDesk.base.replacing("stars: String", with: "stars: Boolean"), "stars"),
        (SchemaDesk.base.replacing("stars: String", with: "stars: String extra: String!"), "extra"),
    ])
    func `offers nothing that the backend refused before, unless it fits by now`(
        _ schema: String, _ field: String
    ) throws {
        let desk = try desk()
        try desk.create("Post", "p3", [("title", "three"), ("stars", "many")])
        var refused = try #require(try desk.store.mutation(1))
        refused.state = .rejected
        refused.isFrozen = true
        refused.failure = Mutation.Failure(kind: "rule", message: "no")
        let key = refused.key
        let model = try desk.model("Post")
        try desk.store.updateMutation(refused)
        try desk.store.removeRecord(model, refused.id)
        try desk.adopt(schema)
        guard case .refused(let reason) = try desk.retry(1) else {
            Issue.record("it was offered")
            return
        }
        #expect(reason.contains(field))
        #expect(try desk.reason(1)?.contains(field) == true)
        try desk.adopt(SchemaDesk.base)
        #expect(try desk.retry(1) == .done)
        #expect(try desk.store.mutation(1)?.state == .queued)
        #expect(try desk.store.mutation(1)?.key != key)
        try desk.requireSound()
    }

    @Test func `lets an edit go on without the field`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.adopt(Self.without)
        let edited = try desk.store.write { () throws(StoreError) in
            try desk.outbox.edit(1, set: JSONObject([("title", "uno")]), group: "e")
        }
        #expect(edited == .done)
        #expect(try desk.retry(1) == .done)
        #expect(try desk.queue() == ["1 update p1 title queued"])
        #expect(try desk.shown("Post", "p1")?["title"] == "uno")
        try desk.requireSound()
    }

    @Test func `converts what is exactly convertible, everywhere`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.update("Post", "p2", [("stars", "many")])
        try desk.adopt(Self.typed)
        #expect(try desk.queue() == ["1 update p1 stars queued", "2 update p2 stars rejected"])
        let first = try #require(try desk.store.mutation(1))
        #expect(first.set["stars"] == 4)
        #expect(first.was["stars"] == 3)
        #expect(try desk.store.base(first.record)?.record?["stars"] == 3)
        #expect(try desk.shown("Post", "p1")?["stars"] == 4)
        #expect(try desk.shown("Post", "p2")?["stars"] == 5)
        let query = Query(model: "Post", filter: .test(.init([], "stars"), .greaterOrEqual(4)))
        #expect(try desk.store.count(query) == 2)
        try desk.requireSound()
        let edited = try desk.store.write { () throws(StoreError) in
            try desk.outbox.edit(2, set: JSONObject([("stars", 9)]), group: "e")
        }
        #expect(edited == .done)
        #expect(try desk.retry(2) == .done)
        #expect(try desk.shown("Post", "p2")?["stars"] == 9)
        try desk.adopt(SchemaDesk.base)
        #expect(try desk.store.mutation(1)?.set["stars"] == "4")
        #expect(try desk.shown("Post", "p2")?["stars"] == "9")
        try desk.requireSound()
    }

    @Test
    func `carries a field that the schema says was renamed, and undoes it under its new name`()
        throws
    {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.adopt(Self.told)
        #expect(try desk.queue() == ["1 update p1 rating queued"])
        let mutation = try #require(try desk.store.mutation(1))
        #expect(mutation.set == JSONObject([("rating", 4)]))
        #expect(mutation.was == JSONObject([("rating", 3)]))
        #expect(try desk.shown("Post", "p1")?["rating"] == 4)
        #expect(try desk.shown("Post", "p2")?["rating"] == 5)
        #expect(try desk.shown("Post", "p2")?["stars"] == nil)
        try desk.requireSound()
        try desk.adopt(Self.told.replacing("text: String", with: "text: String more: Int"))
        #expect(try desk.queue() == ["1 update p1 rating queued"])
        let report = try desk.store.write { () throws(StoreError) in
            try desk.outbox.undo("g-p1", inverse: "u") { _ in MergePolicies() }
        }
        #expect(report.undone.count == 1)
        #expect(try desk.queue() == [])
        #expect(try desk.shown("Post", "p1")?["rating"] == 3)
        try desk.requireSound()
    }

    @Test func `carries a field whose new name is told after it was taken for a removal`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.adopt(Self.renamed)
        #expect(try desk.reason(1)?.contains("@renamed(from: \"stars\")") == true)
        try desk.adopt(Self.told)
        #expect(try desk.shown("Post", "p2")?["rating"] == 5)
        #expect(try desk.retry(1) == .done)
        #expect(try desk.queue() == ["1 update p1 rating queued"])
        #expect(try desk.shown("Post", "p1")?["rating"] == 4)
        try desk.requireSound()
    }

    @Test func `keeps all of a model that left until it returns`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.create("Post", "p3", [("title", "three")])
        try desk.create("Comment", "c1", [("text", "hi"), ("postID", "p1")])
        try desk.adopt(Self.noPost)
        #expect(
            try desk.queue() == [
                "1 update p1 stars rejected", "2 create p3 rejected", "3 create c1 queued",
            ])
        #expect(try desk.reason(2)?.contains("model Post is no longer in the schema") == true)
        try desk.requireSound()
        guard case .refused = try desk.retry(1) else {
            Issue.record("it was offered")
            return
        }
        try desk.adopt(SchemaDesk.base)
        #expect(try desk.shown("Post", "p1")?["stars"] == "3")
        #expect(try desk.shown("Post", "p3") == nil)
        try desk.requireSound()
        #expect(try desk.retry(1) == .done)
        #expect(try desk.retry(2) == .done)
        #expect(try desk.shown("Post", "p1")?["stars"] == "4")
        #expect(try desk.shown("Post", "p3")?["title"] == "three")
        try desk.requireSound()
    }

    @Test func `carries a model that the schema says was renamed`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.update("Post", "p2", [("stars", "6")])
        try desk.send(2, .unknown)
        _ = try desk.store.saveCursor(Cursor(model: "Post", token: 1), replacing: nil)
        let article = SchemaDesk.base.replacing("Post", with: "Article")
        try desk.adopt(
            article.replacing(
                "type Article @model", with: "type Article @model @renamed(from: \"Post\")"))
        #expect(try desk.queue() == ["1 update p1 stars queued", "2 update p2 stars unknown"])
        #expect(try desk.store.mutations().map(\.model) == ["Article", "Article"])
        #expect(try desk.shown("Article", "p1")?["stars"] == "4")
        #expect(try desk.shown("Article", "p2")?["stars"] == "6")
        let cursor = try #require(try desk.store.cursor("Article"))
        #expect(cursor.token == nil && cursor.isFull && cursor.isReset)
        try desk.requireSound()
    }

    @Test func `leaves what is on its way there, with its key and in present names`() throws {
        let forms = [
            (Self.without, JSONObject([("stars", "4")])), (Self.typed, JSONObject([("stars", 4)])),
            (Self.told, JSONObject([("rating", 4)])),
        ]
        for state in [Mutation.State.sending, .unknown] {
            for (sdl, set) in forms {
                let desk = try desk()
                try desk.update("Post", "p1", [("stars", "4")])
                try desk.send(1, state)
                let sent = try #require(try desk.store.mutation(1))
                try desk.adopt(sdl)
                let kept = try #require(try desk.store.mutation(1))
                #expect(kept.set == set)
                #expect(kept.key == sent.key)
                #expect(kept.state == state)
                #expect(kept.isFrozen)
                try desk.requireSound()
            }
        }
    }

    @Test func `keeps key and payload of what may have arrived while its model is gone`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.send(1, .unknown)
        let sent = try #require(try desk.store.mutation(1))
        try desk.adopt(Self.noPost)
        #expect(try desk.queue() == ["1 update p1 stars rejected"])
        #expect(try desk.reason(1)?.contains("the backend may have this change") == true)
        try desk.adopt(SchemaDesk.base)
        #expect(try desk.retry(1) == .done)
        #expect(try desk.store.mutation(1) == sent)
        #expect(try desk.shown("Post", "p1")?["stars"] == "4")
        try desk.requireSound()
    }

    @Test func `has what was made upon that wait for it when its model is back`() throws {
        for isDropped in [false, true] {
            let desk = try desk()
            try desk.update("Post", "p1", [("stars", "4")])
            try desk.send(1, .unknown)
            let was = try desk.store.mutation(1)?.was["stars"]
            try desk.update("Post", "p1", [("stars", "6")])
            try desk.adopt(Self.noPost)
            try desk.adopt(SchemaDesk.base)
            #expect(try desk.retry(2) == .done)
            #expect(
                try desk.queue() == ["1 update p1 stars rejected", "2 update p1 stars waiting"])
            try desk.requireSound()
            if isDropped {
                let outcome = try desk.store.write { () throws(StoreError) in
                    try desk.outbox.drop(1, policies: { _ in MergePolicies() }, group: "d")
                }
                #expect(outcome == .done)
                #expect(try desk.store.mutation(2)?.was["stars"] == was)
            } else {
                #expect(try desk.retry(1) == .done)
                #expect(try desk.store.mutation(1)?.state == .unknown)
                #expect(try desk.store.mutation(2)?.was["stars"] == "4")
            }
            #expect(try desk.store.mutation(2)?.state == .queued)
            #expect(try desk.shown("Post", "p1")?["stars"] == "6")
            try desk.requireSound()
        }
    }

    @Test func `gives what was offered before a new key when its payload is another`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.send(1, .queued)
        let key = try desk.store.mutation(1)?.key
        try desk.adopt(Self.typed)
        let mutation = try #require(try desk.store.mutation(1))
        #expect(mutation.key != key)
        #expect(!mutation.isFrozen)
        #expect(mutation.set["stars"] == 4)
    }

    @Test func `makes what depends on a parked create wait`() throws {
        let desk = try desk()
        try desk.create("Post", "p3", [("title", "three"), ("stars", "many")])
        try desk.send(1, .queued)
        try desk.update("Post", "p3", [("title", "trois")])
        try desk.create("Comment", "c1", [("text", "hi"), ("postID", "p3")])
        try desk.adopt(Self.typed)
        #expect(
            try desk.queue() == [
                "1 create p3 rejected", "2 update p3 title waiting", "3 create c1 waiting",
            ])
        #expect(try desk.shown("Post", "p3") == nil)
        #expect(try desk.shown("Comment", "c1") != nil)
        try desk.requireSound()
        try desk.adopt(SchemaDesk.base)
        #expect(try desk.retry(1) == .done)
        #expect(try desk.shown("Post", "p3")?["title"] == "trois")
        try desk.requireSound()
    }

    @Test func `parks a conflict on a field that left, and keeps one on another`() throws {
        let desk = try desk()
        for (seq, id, field) in [(1, "p1", "stars"), (2, "p2", "title")] {
            try desk.update("Post", id, [(field, "mine")])
            var mutation = try #require(try desk.store.mutation(Int64(seq)))
            mutation.state = .conflict
            mutation.failure = Mutation.Failure(kind: "field", message: "both", field: field)
            try desk.store.updateMutation(mutation)
        }
        try desk.adopt(Self.without)
        #expect(try desk.queue() == ["1 update p1 stars rejected", "2 update p2 title conflict"])
        try desk.requireSound()
    }

    @Test(arguments: [(MergePolicy.manual, "conflict"), (.local, "queued")])
    func `merges with the backend's what was edited upon a conflict that it parks`(
        _ policy: MergePolicy, _ state: String
    ) throws {
        let desk = try desk()
        desk.policies = MergePolicies(model: policy, fields: [:])
        try desk.update("Post", "p1", [("title", "mine"), ("stars", "many")])
        var mutation = try #require(try desk.store.mutation(1))
        // Made upon an older title than the backend has by now.
        mutation.was["title"] = "older"
        mutation.state = .conflict
        mutation.isFrozen = true
        mutation.failure = Mutation.Failure(kind: "field", message: "both", field: "title")
        try desk.store.updateMutation(mutation)
        try desk.update("Post", "p1", [("title", "mine again")])
        try desk.adopt(Self.typed)
        #expect(
            try desk.queue() == ["1 update p1 stars title rejected", "2 update p1 title \(state)"])
        #expect(try desk.shown("Post", "p1")?["title"] == "mine again")
        try desk.requireSound()
    }

    @Test(arguments: [
        SchemaDesk.base,
        SchemaDesk.base.replacing("post: Post @belongsTo(fields: [\"postID\"])", with: ""),
    ])
    func `follows relations that come and go, whichever side declares them`(
        _ related: String
    ) throws {
        let loose = SchemaDesk.base
            .replacing("comments: [Comment] @hasMany(references: [\"postID\"])", with: "")
            .replacing("post: Post @belongsTo(fields: [\"postID\"])", with: "")
        let desk = try SchemaDesk(loose)
        try desk.create("Comment", "c1", [("text", "hi"), ("postID", "p3")])
        try desk.create("Post", "p3", [("title", "three")])
        try desk.adopt(related)
        #expect(try desk.queue() == ["1 create c1 waiting", "2 create p3 queued"])
        try desk.requireSound()
        try desk.adopt(loose)
        #expect(try desk.queue() == ["1 create c1 queued", "2 create p3 queued"])
        try desk.requireSound()
    }

    @Test func `undoes no edit of a field that left`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.store.write { () throws(StoreError) in try desk.store.removeMutation(1) }
        try desk.store.removeBase(RecordKey("Post", RecordID("p1")))
        try desk.adopt(Self.without)
        let report = try desk.store.write { () throws(StoreError) in
            try desk.outbox.undo("g-p1", inverse: "u") { _ in MergePolicies() }
        }
        #expect(report.kept.map(\.reason) == ["stars left the schema since"])
        #expect(try desk.queue() == [])
    }

    @Test func `happens wholly or not at all`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        try desk.update("Post", "p2", [("title", "deux")])
        var isDone = false
        for bound in 0..<400 where !isDone {
            var calls = 0
            do {
                try desk.adopt(Self.typed) { (_) throws(StoreError) in
                    calls += 1
                    if calls > bound { throw StoreError(.full, "the disk is full") }
                }
                isDone = true
            } catch let error as StoreError {
                #expect(error.kind == .full)
                try desk.adopt(SchemaDesk.base)
                #expect(try desk.store.mutation(1)?.set["stars"] == "4")
                #expect(try desk.shown("Post", "p2")?["stars"] == "5")
                try desk.requireSound()
            }
        }
        #expect(isDone)
        try desk.adopt(Self.typed)
        #expect(try desk.shown("Post", "p1")?["stars"] == 4)
    }

    @Test func `is foretold without touching the store`() throws {
        let desk = try desk()
        try desk.update("Post", "p1", [("stars", "4")])
        let forecast = try Store.forecast(
            at: "\(desk.folder)/a.sqlite", adopting: try Schema.parse(Self.without))
        #expect(forecast.parked.map(\.seq) == [1])
        #expect(forecast.parked.first?.failure?.field == "stars")
        #expect(try desk.queue() == ["1 update p1 stars queued"])
        let none = try Store.forecast(
            at: "\(desk.folder)/a.sqlite", adopting: try Schema.parse(Self.told))
        #expect(none.parked.isEmpty)
    }
}
