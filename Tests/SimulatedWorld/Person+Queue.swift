import JSON
import Outbox
import Records
import Storage
import Sync

// A person tends the queue.
extension Person {
    /// A person tends the queue: resolves, edits, retries, drops.
    func repair() throws {
        let parked = try store.mutations(states: [.conflict, .rejected])
        guard let mutation = draw.pick(.repair, parked, name: { "\($0.seq)" }) else { return }
        try mend(mutation)
    }

    func mend(_ mutation: Mutation) throws {
        let group = world.group()
        guard let model = store.schema.model(mutation.model) else {
            // Its model may come back.
            if !world.isFaulty || draw.chance(.repair, 20) { try drop(mutation, group) }
            return
        }
        let policies = world.policies(of: model.name)
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
        if draw.chance(.repair, 50) {
            Trace.note("    edit, retry \(mutation.seq)")
            let outcome = try write(over: [mutation.record]) {
                () throws(StoreError) -> RepairOutcome in
                if let field = mutation.failure?.field, mutation.kind != .delete {
                    let set = fitting(field, world.text(), model)
                    _ = try outbox.edit(mutation.seq, set: set, group: group)
                }
                return try outbox.retry(mutation.seq, policies: policies, group: group)
            }
            if outcome == .done { return }
        }
        try drop(mutation, group)
    }

    /// What a person sets instead of a field that was refused, or of one that is no more.
    private func fitting(_ field: String, _ text: JSONValue, _ model: Model) -> JSONObject {
        let isParked = model.field(field) == nil
        let title = variant.local(model.name == "Post" ? "title" : "text", text, model.name).0
        let name = isParked ? title : field
        let isList = variant.name == .typed && model.field(name)?.isList ?? false
        return JSONObject([(name, isList ? .array([text]) : text)])
    }

    private func drop(_ mutation: Mutation, _ group: String) throws {
        Trace.note("    drop \(mutation.seq)")
        let keys = try [mutation.record] + dependents(of: mutation)
        _ = try write(over: keys) { () throws(StoreError) in
            try outbox.drop(mutation.seq, policies: world.policies(of:), group: group)
        }
    }

    private func resolution(_ model: Model, _ mutation: Mutation) throws -> Resolution {
        switch draw.number(.resolution, 0..<3) {
        case 0: return .local
        case 1: return .remote
        default:
            let texts = ["title", "text", "body", "heading"]
            guard let field = mutation.set.keys.first(where: texts.contains) else { return .local }
            return .values(fitting(field, world.text(), model))
        }
    }

    /// What waits for a dropped create is given up by the same decision.
    private func dependents(of mutation: Mutation) throws -> [RecordKey] {
        try store.dependents(on: mutation.seq).compactMap { try store.mutation($0)?.record }
    }
}
