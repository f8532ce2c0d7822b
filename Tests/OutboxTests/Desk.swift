import JSON
import Outbox
import Records
import Storage
import Testing

/// A store in memory with an outbox on it, and short ways to write and to look.
struct Desk {
    static let sdl = """
        type Post @model { id: ID! title: String body: String rating: Int
            comments: [Comment] @hasMany(references: ["postID"])
            note: Note @hasOne(references: ["postID"]) }
        type Comment @model { id: ID! text: String postID: ID replyToID: ID
            post: Post @belongsTo(fields: ["postID"])
            replyTo: Comment @belongsTo(fields: ["replyToID"]) }
        type Note @model { id: ID! text: String postID: ID
            post: Post @belongsTo(fields: ["postID"]) }
        """

    private final class Count {
        var keys = 0
    }

    let store: Store
    let outbox: Outbox
    let manual = MergePolicies()

    init() throws {
        store = try Store(inMemory: try Schema.parse(Desk.sdl))
        let count = Count()
        outbox = Outbox(store: store, now: { 1_000 }) {
            count.keys += 1
            return "key\(count.keys)"
        }
    }

    func model(_ name: String) throws -> Model { try #require(store.schema.model(name)) }

    func record(_ name: String, _ pairs: [(String, JSONValue)]) throws -> JSONObject {
        try model(name).normalized(JSONObject(pairs))
    }

    // MARK: Writing

    @discardableResult
    func create(
        _ name: String, _ id: String, _ pairs: [(String, JSONValue)] = [], group: String = "g",
        isWhole: Bool = true
    ) throws -> WriteOutcome {
        let pairs = [("id", .string(id))] + pairs
        let record = isWhole ? try record(name, pairs) : JSONObject(pairs)
        let model = try model(name)
        return try store.write { () throws(StoreError) in
            try outbox.create(model, RecordID(id), record, group: group)
        }
    }

    @discardableResult
    func update(
        _ name: String, _ id: String, _ pairs: [(String, JSONValue)], group: String = "g"
    ) throws -> WriteOutcome {
        let model = try model(name)
        return try store.write { () throws(StoreError) in
            try outbox.update(model, RecordID(id), set: JSONObject(pairs), group: group)
        }
    }

    @discardableResult
    func delete(_ name: String, _ id: String, group: String = "g") throws -> DeletePlan {
        let model = try model(name)
        let plan = try outbox.plan(deleting: [RecordID(id)], of: model, cascade: true)
        _ = try store.write { () throws(StoreError) in try outbox.delete(plan, group: group) }
        return plan
    }

    /// Without what a cascade would take along.
    func deleteAlone(_ name: String, _ id: String) throws {
        let model = try model(name)
        _ = try store.write { () throws(StoreError) in
            try outbox.delete(model, RecordID(id), group: "g")
        }
    }

    /// A record as a pull would have left it.
    func pulled(_ name: String, _ id: String, _ pairs: [(String, JSONValue)] = []) throws {
        let record = try record(name, [("id", .string(id))] + pairs)
        let model = try model(name)
        try store.write { () throws(StoreError) in
            try store.putRecord(model, RecordID(id), record, version: 1)
        }
    }

    /// What the backend says of a record from now on; nil where it is gone.
    func told(_ name: String, _ id: String, _ pairs: [(String, JSONValue)]?) throws {
        let model = try model(name)
        let record = try pairs.map { try self.record(name, [("id", .string(id))] + $0) }
        let before = try outbox.state(of: model, RecordID(id)).base
        let base = Base(
            version: 2, record: record, deletedRecord: record == nil ? before.record : nil)
        _ = try store.write { () throws(StoreError) in
            try outbox.rebase(model, RecordID(id), onto: base, policies: manual, cause: .remote)
        }
    }

    func mark(
        _ seq: Int64, _ state: Mutation.State, kind: String? = nil
    ) throws {
        var mutation = try #require(try store.mutation(seq))
        mutation.state = state
        if state == .sending || state == .unknown { mutation.isFrozen = true }
        if let kind { mutation.failure = Mutation.Failure(kind: kind, message: "told so") }
        let model = try model(mutation.model)
        try store.write { () throws(StoreError) in
            let base = try outbox.state(of: model, mutation.id).base
            try store.updateMutation(mutation)
            try outbox.refold(model, mutation.id, base: base)
        }
    }

    // MARK: Looking

    func shown(_ name: String, _ id: String) throws -> JSONObject? {
        try store.record(try model(name), RecordID(id))?.record
    }

    /// The queue, such as "create p1", "update p1 title".
    func queue() throws -> [String] {
        try store.mutations().map { mutation in
            var words = ["\(mutation.kind)", mutation.id.text]
            if mutation.kind == .update { words += mutation.set.keys.sorted() }
            if mutation.state != .queued { words.append("(\(mutation.state))") }
            return words.joined(separator: " ")
        }
    }

    func mutations() throws -> [Mutation] { try store.mutations() }
}
