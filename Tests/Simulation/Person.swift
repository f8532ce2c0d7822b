import JSON
import Outbox
import Records
import Storage
import Sync

/// What a person does at one process of a client.
struct Person {
    private let world: World
    private let client: SimulatedClient
    private let process: SimulatedProcess
    private var dice: Dice { world.dice }
    private var store: Store { process.store }
    private var outbox: Outbox { process.outbox }

    init(_ world: World, _ client: SimulatedClient, _ process: SimulatedProcess) {
        self.world = world
        self.client = client
        self.process = process
    }

    /// Writes, after which what was promised of some fields, or records, is superseded: also what
    /// another process wrote just before.
    private func write<T>(
        over keys: [RecordKey] = [], fields: [String]? = nil,
        _ body: () throws(StoreError) -> T
    ) throws -> T {
        try store.write { () throws(StoreError) in
            for key in keys {
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
        guard let value, world.setting.keeps(field, of: key.model) else { return }
        client.acknowledged[key, default: [:]][field] = value
    }

    private func text(_ record: JSONObject) -> String { JSONValue.object(record).serialized() }

    // MARK: Records

    private func anyRecord() throws -> (Model, RecordID)? {
        guard let model = dice.pick(world.schema.models) else { return nil }
        let ids = try store.ids(Query(model: model.name), limit: .max)
        return dice.pick(ids).map { (model, $0) }
    }

    private func anyID(_ model: String) throws -> JSONValue? {
        dice.pick(try store.ids(Query(model: model), limit: .max)).map { .string($0.text) }
    }

    func create(_ name: String) throws {
        guard let model = world.schema.model(name) else { return }
        let id = client.nextID()
        var record = JSONObject([("id", .string(id.text))])
        let told = name == "Post" ? "title" : "text"
        record[told] = world.text()
        if name == "Post" {
            record["views"] = .int(0)
            record["rating"] = .int(Int64(dice.number(0..<6)))
        } else {
            record["postID"] = try anyID("Post")
            if name == "Comment", dice.chance(40) { record["replyToID"] = try anyID("Comment") }
        }
        record = model.normalized(record)
        Trace.note("    create \(name) \(text(record))")
        let group = world.group()
        _ = try write { () throws(StoreError) in
            try outbox.create(model, id, record, group: group)
        }
        promise(RecordKey(name, id), told, record[told])
    }

    func update() throws {
        guard let (model, id) = try anyRecord() else { return }
        let key = RecordKey(model.name, id)
        guard let set = try change(model, id) else { return }
        Trace.note("    update \(model.name) \(id) \(text(set))")
        let group = world.group()
        let outcome = try write(over: [key], fields: set.keys) { () throws(StoreError) in
            try outbox.update(model, id, set: set, group: group)
        }
        if outcome == .written {
            for (field, value) in set.pairs { promise(key, field, value) }
        }
    }

    private func change(_ model: Model, _ id: RecordID) throws -> JSONObject? {
        let record = try store.record(model, id)?.record
        if model.name == "Comment" || model.name == "Note" {
            switch dice.number(0..<10) {
            case 0: return JSONObject([("postID", try anyID("Post") ?? .null)])
            case 1 where model.name == "Comment":
                return JSONObject([("replyToID", try anyID("Comment") ?? .null)])
            default: return JSONObject([("text", world.text())])
            }
        }
        switch dice.number(0..<8) {
        case 0: return JSONObject([("rating", .int(Int64(dice.number(0..<6))))])
        case 1: return JSONObject([("views", .int((record?["views"]?.integer ?? 0) + 1))])
        case 2:
            var tags = record?["tags"]?.elements ?? []
            if !tags.isEmpty, dice.chance(30) {
                tags.removeLast()
            } else {
                tags.append(world.text())
            }
            return JSONObject([("tags", .array(tags))])
        case 3: return JSONObject([("title", world.text()), ("body", world.text())])
        case 4, 5: return JSONObject([("body", world.text())])
        default: return JSONObject([("title", world.text())])
        }
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
        record["title"] = world.text()
        let group = world.group()
        try write(over: plan.entries.map(\.key)) { () throws(StoreError) in
            _ = try outbox.delete(plan, group: group)
            _ = try outbox.create(model, id, record, group: group)
        }
        promise(RecordKey(model.name, id), "title", record["title"])
    }

    func undo() throws {
        guard let last = try store.undoableGroups(limit: 1).first else { return }
        var keys = try store.journal(of: last.group).map(\.key)
        for mutation in try store.mutations(group: last.group) { keys.append(mutation.record) }
        Trace.note("    undo \(last.group)")
        let group = world.group()
        _ = try write(over: keys) { () throws(StoreError) in
            try outbox.undo(last.group, inverse: group)
        }
    }

    // MARK: The queue

    /// A person tends the queue: resolves, edits, retries, drops.
    func repair() throws {
        let parked = try store.mutations(states: [.conflict, .rejected])
        guard let mutation = dice.pick(parked) else { return }
        try mend(mutation)
    }

    func mend(_ mutation: Mutation) throws {
        guard let model = world.schema.model(mutation.model) else { return }
        let group = world.group()
        let policies = world.setting.policies(of: model.name)
        if mutation.state == .conflict {
            let resolution = try resolution(model, mutation)
            Trace.note("    resolve \(mutation.id) \(resolution)")
            let outcome = try write(over: [mutation.record]) { () throws(StoreError) in
                try outbox.resolve(
                    model, mutation.id, as: resolution, policies: policies, group: group)
            }
            if case .refused = outcome, !world.isFaulty {
                _ = try write(over: [mutation.record]) { () throws(StoreError) in
                    try outbox.resolve(
                        model, mutation.id, as: .remote, policies: policies, group: group)
                }
            }
            return
        }
        if dice.chance(50) {
            Trace.note("    edit, retry \(mutation.seq)")
            let outcome = try write(over: [mutation.record]) {
                () throws(StoreError) -> RepairOutcome in
                if let field = mutation.failure?.field, mutation.kind != .delete {
                    let value = world.text()
                    _ = try outbox.edit(
                        mutation.seq, set: JSONObject([(field, value)]), group: group)
                }
                return try outbox.retry(mutation.seq, policies: policies, group: group)
            }
            if outcome == .done { return }
        }
        Trace.note("    drop \(mutation.seq)")
        let keys = try [mutation.record] + dependents(of: mutation)
        _ = try write(over: keys) { () throws(StoreError) in
            try outbox.drop(mutation.seq, group: group)
        }
    }

    private func resolution(_ model: Model, _ mutation: Mutation) throws -> Resolution {
        switch dice.number(0..<3) {
        case 0: return .local
        case 1: return .remote
        default:
            let field = mutation.set.keys.first { $0 == "title" || $0 == "text" || $0 == "body" }
            guard let field else { return .local }
            return .values(JSONObject([(field, world.text())]))
        }
    }

    /// What waits for a dropped create is given up by the same decision.
    private func dependents(of mutation: Mutation) throws -> [RecordKey] {
        try store.dependents(on: mutation.seq).compactMap { try store.mutation($0)?.record }
    }

    // MARK: Syncing

    func push() throws {
        do {
            try process.engine.takeLease()
            _ = try process.engine.pushStep(PushSelection(ignoresDelay: dice.chance(50)))
            if dice.chance(70) { try process.engine.releaseLease() }
        } catch SyncError.backend {
            return
        } catch SyncError.leaseHeld {
            return
        }
    }

    func pull() throws {
        guard let model = dice.pick(world.schema.models) else { return }
        do {
            let step = try process.engine.pullStep(model, full: dice.chance(5))
            if case .complete = step {
                _ = try process.engine.finish(model, acceptDeletions: true)
            }
        } catch SyncError.backend {
            return
        }
    }

    func sync() throws {
        var options = SyncOptions()
        options.acceptDeletions = true
        var run = SyncRun(engine: process.engine, options: options)
        let outcome = run.run()
        if case .store(let error) = outcome.failure { throw error }
        if let failure = outcome.failure { Trace.note("    sync failed: \(failure)") }
    }
}
