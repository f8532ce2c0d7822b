import JSON
import Outbox
import Records
import Storage
import Sync

/// What a person does at one process of a client.
struct Person {
    let world: World
    let process: SimulatedProcess
    var client: SimulatedClient { process.client }
    var variant: SchemaVariant { process.variant }
    var draw: Draw { world.draw }
    var store: Store { process.store }
    var outbox: Outbox { process.outbox }

    init(_ world: World, _ process: SimulatedProcess) {
        self.world = world
        self.process = process
    }

    /// Writes, after which what was promised of some fields, or records, is superseded: also what
    /// another process wrote just before.
    func write<T>(
        over keys: [RecordKey] = [], fields: [String]? = nil,
        _ body: () throws(StoreError) -> T
    ) throws -> T {
        try store.write { () throws(StoreError) in
            for key in keys.map(world.server.original(of:)) {
                guard let fields else {
                    client.acknowledged[key] = nil
                    continue
                }
                for field in fields { client.acknowledged[key]?[field] = nil }
            }
            return try body()
        }
    }

    private func promise(_ key: RecordKey, _ field: String, _ value: JSONValue?) {
        guard let value else { return }
        client.acknowledged[world.server.original(of: key), default: [:]][field] = value
    }

    private func text(_ record: JSONObject) -> String { JSONValue.object(record).serialized() }

    // MARK: Records

    func anyRecord() throws -> (Model, RecordID)? {
        guard let model = draw.pick(.model, store.schema.models, name: \.name) else { return nil }
        let ids = try store.ids(Query(model: model.name), limit: .max)
        // People meet where something is going on.
        let hot = draw.chance(.more, 50) ? Array(ids.prefix(2)) : ids
        return draw.pick(.record, hot, name: \.text).map { (model, $0) }
    }

    private func anyID(_ model: String) throws -> JSONValue? {
        let ids = try store.ids(Query(model: model), limit: .max)
        return draw.pick(.parent, ids, name: \.text).map { .string($0.text) }
    }

    @discardableResult
    func create(_ name: String) throws -> RecordID? {
        guard let model = store.schema.model(name) else { return nil }
        let id = client.nextID()
        var record = JSONObject([("id", .string(id.text))])
        let told = name == "Post" ? "title" : "text"
        record[told] = world.text()
        if name == "Post" {
            record["views"] = .int(0)
            record["rating"] = .int(Int64(draw.number(.value, 0..<6)))
        } else {
            record["postID"] = try anyID("Post")
            if name == "Comment", draw.chance(.more, 40) {
                record["replyToID"] = try anyID("Comment")
            }
        }
        if name == "Post", variant.name == .added { record["subtitle"] = world.text() }
        record = model.normalized(variant.local(record: record, name))
        Trace.note("    create \(name) \(text(record))")
        let group = world.group()
        _ = try write { () throws(StoreError) in
            try outbox.create(model, id, record, group: group)
        }
        promise(RecordKey(name, id), told, variant.plain(record, name)[told])
        promise(RecordKey(name, id), "subtitle", record["subtitle"])
        return id
    }

    /// Two comments, of which the first answers the second: no order suits both at once.
    func weave() throws {
        guard let model = store.schema.model("Comment"), let first = try create("Comment"),
            let second = try create("Comment")
        else { return }
        try put(model, first, JSONObject([("replyToID", .string(second.text))]))
        if draw.chance(.more, 30) {
            try put(model, second, JSONObject([("replyToID", .string(first.text))]))
        }
    }

    func update() throws {
        guard let (model, id) = try anyRecord(), let set = try change(model, id) else { return }
        try put(model, id, set)
    }

    func put(_ model: Model, _ id: RecordID, _ set: JSONObject) throws {
        let key = RecordKey(model.name, id)
        Trace.note("    update \(model.name) \(id) \(text(set))")
        let group = world.group()
        let plain = variant.plain(set, model.name)
        let outcome = try write(over: [key], fields: plain.keys) { () throws(StoreError) in
            try outbox.update(model, id, set: set, group: group)
        }
        if outcome == .written {
            for (field, value) in plain.pairs { promise(key, field, value) }
        }
    }

    /// A change of some fields that the schema has, in its form.
    func change(_ model: Model, _ id: RecordID) throws -> JSONObject? {
        guard let set = try plainChange(model, id) else { return nil }
        let local = variant.local(values: set, model.name)
        return local.keys.allSatisfy { model.field($0) != nil } ? local : nil
    }

    private func plainChange(_ model: Model, _ id: RecordID) throws -> JSONObject? {
        let record = try store.record(model, id)?.record
        switch kindOfChange(model) {
        case "postID": return JSONObject([("postID", try anyID("Post") ?? .null)])
        case "replyToID": return JSONObject([("replyToID", try anyID("Comment") ?? .null)])
        case "rating": return JSONObject([("rating", .int(Int64(draw.number(.value, 0..<6))))])
        case "views": return JSONObject([("views", .int((record?["views"]?.integer ?? 0) + 1))])
        case "tags":
            var tags = record?["tags"]?.elements ?? []
            if !tags.isEmpty, draw.chance(.more, 30) {
                tags.removeLast()
            } else {
                tags.append(world.text())
            }
            return JSONObject([("tags", .array(tags))])
        case "both": return JSONObject([("title", world.text()), ("body", world.text())])
        case let field?: return JSONObject([(field, world.text())])
        case nil: return nil
        }
    }

    private func kindOfChange(_ model: Model) -> String? {
        let kinds: [(Int, String)] =
            switch model.name {
            case "Post":
                [
                    (2, "title"), (3, "body"), (1, "both"), (2, "rating"), (2, "views"),
                    (2, "tags"),
                ]
            case "Comment": [(8, "text"), (1, "postID"), (1, "replyToID")]
            default: [(9, "text"), (1, "postID")]
            }
        return draw.weigh(.field, kinds.map { ($0.0, $0.1, $0.1) })
    }

    private func plan(_ model: Model, _ id: RecordID) throws -> DeletePlan {
        let plan = try outbox.plan(deleting: [id], of: model, cascade: true)
        Trace.note("    delete \(plan.entries.map(\.key.id))")
        return plan
    }

    func delete() throws {
        guard let (model, id) = try anyRecord() else { return }
        let plan = try plan(model, id)
        let group = world.group()
        _ = try write(over: plan.entries.map(\.key)) { () throws(StoreError) in
            try outbox.delete(plan, group: group)
        }
    }

    func replace() throws {
        guard let (model, id) = try anyRecord(), model.name == "Post",
            var record = try store.record(model, id)?.record
        else { return }
        let plan = try plan(model, id)
        let (title, text) = variant.local("title", world.text(), model.name)
        record[title] = text
        // Some leave out what they do not care for.
        let isShorter = text.text?.utf8.last.map { $0 % 2 == 0 } ?? false
        if isShorter { record["rating"] = nil }
        let group = world.group()
        try write(over: plan.entries.map(\.key)) { () throws(StoreError) in
            _ = try outbox.delete(plan, group: group)
            _ = try outbox.create(model, id, record, group: group)
        }
        promise(RecordKey(model.name, id), "title", text)
    }

    func undo() throws {
        guard let last = try store.undoableGroups(limit: 1).first else { return }
        var keys = try store.journal(of: last.group).map(\.key)
        for mutation in try store.mutations(group: last.group) { keys.append(mutation.record) }
        Trace.note("    undo \(last.group)")
        let group = world.group()
        _ = try write(over: keys) { () throws(StoreError) in
            try outbox.undo(last.group, inverse: group, policies: world.policies(of:))
        }
    }
}
