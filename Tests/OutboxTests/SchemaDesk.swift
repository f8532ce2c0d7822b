import JSON
import Outbox
import Platform
import Records
import Storage
import Testing

/// A store on disk that is opened with one schema after the other.
final class SchemaDesk {
    static let base = """
        type Post @model { id: ID! title: String stars: String
            comments: [Comment] @hasMany(references: ["postID"]) }
        type Comment @model { id: ID! text: String postID: ID
            post: Post @belongsTo(fields: ["postID"]) }
        """

    let folder: String
    private(set) var store: Store
    private(set) var outbox: Outbox
    private var keys = 0
    private var openings = 0
    var policies = MergePolicies(model: .manual, fields: [:])

    init(_ sdl: String = base) throws {
        folder = try Files.makeTemporaryDirectory(prefix: "satchel-adoption-")
        store = try Store(
            path: "\(folder)/a.sqlite", schema: try Schema.parse(sdl), schemaHash: sdl)
        outbox = Outbox(store: store, now: { 1_000 }, makeKey: { "" })
        outbox = Outbox(store: store, now: { 1_000 }, makeKey: makeKey)
    }

    deinit { do { try Files.removeTree(folder) } catch { return } }

    private func makeKey() -> String {
        keys += 1
        return "key\(keys)"
    }

    /// Opens the store with another schema.
    func adopt(_ sdl: String, faults: ((StorePoint) throws(StoreError) -> Void)? = nil)
        throws
    {
        store = try Store(
            path: "\(folder)/a.sqlite", schema: try Schema.parse(sdl), schemaHash: sdl,
            options: StoreOptions(
                adopt: Outbox.adopter(
                    now: { 2_000 }, makeKey: { [unowned self] in makeKey() },
                    policies: { [unowned self] _ in policies }),
                faults: faults))
        outbox = Outbox(store: store, now: { 2_000 }, makeKey: { [unowned self] in makeKey() })
    }

    func model(_ name: String) throws -> Model { try #require(store.schema.model(name)) }

    func record(_ name: String, _ id: String, _ pairs: [(String, JSONValue)]) throws -> JSONObject {
        try model(name).normalized(JSONObject([("id", .string(id))] + pairs))
    }

    func pulled(_ name: String, _ id: String, _ pairs: [(String, JSONValue)]) throws {
        try store.putRecord(
            try model(name), RecordID(id), try record(name, id, pairs), version: 1)
    }

    func create(_ name: String, _ id: String, _ pairs: [(String, JSONValue)]) throws {
        let model = try model(name)
        let whole = JSONObject([("id", .string(id))] + pairs)
        _ = try store.write { () throws(StoreError) in
            try outbox.create(model, RecordID(id), whole, group: "g-\(id)")
        }
    }

    func update(_ name: String, _ id: String, _ pairs: [(String, JSONValue)]) throws {
        let model = try model(name)
        _ = try store.write { () throws(StoreError) in
            try outbox.update(model, RecordID(id), set: JSONObject(pairs), group: "g-\(id)")
        }
    }

    func delete(_ name: String, _ id: String) throws {
        let model = try model(name)
        _ = try store.write { () throws(StoreError) in
            try outbox.delete(model, RecordID(id), group: "g-\(id)")
        }
    }

    func send(_ seq: Int64, _ state: Mutation.State) throws {
        var mutation = try #require(try store.mutation(seq))
        mutation.state = state
        mutation.isFrozen = true
        try store.updateMutation(mutation)
    }

    func retry(_ seq: Int64) throws -> RepairOutcome {
        try store.write { () throws(StoreError) in
            try outbox.retry(seq, policies: MergePolicies(), group: "r")
        }
    }

    func shown(_ name: String, _ id: String) throws -> JSONObject? {
        try store.record(try model(name), RecordID(id))?.record
    }

    /// The queue, such as "1 update p1 title queued".
    func queue() throws -> [String] {
        try store.mutations().map { mutation in
            let names = mutation.kind == .update ? mutation.set.keys.sorted() : []
            return
                (["\(mutation.seq)", "\(mutation.kind)", mutation.id.text] + names
                + ["\(mutation.state)"]).joined(separator: " ")
        }
    }

    /// The failure of a mutation, if it is one of the schema.
    func reason(_ seq: Int64) throws -> String? {
        let failure = try store.mutation(seq)?.failure
        return failure?.kind == "schema" ? failure?.message : nil
    }

    /// What is in view is the fold of base and live mutations, and nothing is left over.
    func requireSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try outbox.examine()
        #expect(found.wrong == [], sourceLocation: sourceLocation)
        #expect(found.foreign == 0, sourceLocation: sourceLocation)
        #expect(try store.orphans() == StoreOrphans(), sourceLocation: sourceLocation)
    }
}
