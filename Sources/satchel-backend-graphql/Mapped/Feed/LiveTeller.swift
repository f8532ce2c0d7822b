internal import JSON
internal import PluginKit
internal import Records

/// Makes events for the host out of results of subscriptions.
struct LiveTeller {
    let plan: MappedPlan
    let subscription: ModelMapping.Subscription
    /// The records of the latest snapshot, by their ids; nil before the first.
    private var snapshot: [RecordID: JSONValue]?

    init(_ plan: MappedPlan, _ subscription: ModelMapping.Subscription) {
        self.plan = plan
        self.subscription = subscription
    }

    var request: GraphQLRequest {
        subscription.step.request(plan.words, MappingValues(JSONObject()))
    }

    /// The connection is another: what it tells first is where it begins.
    mutating func begin() { snapshot = nil }

    /// Tells the host what a result says; what cannot be understood is a gap.
    mutating func tell(_ answer: GraphQLAnswer, _ host: PluginHost) {
        guard let value = subscription.step.result.value(in: .object(answer.data)) else {
            return host.gap()
        }
        switch subscription.tells {
        case .anything: host.gap()
        case .key:
            guard let id = id(value) else { return host.gap() }
            tell(id, version: nil, host)
        case .record:
            switch plan.item(value) {
            case .deleted(let id, let version):
                host.event(model: plan.model.name, id: id, version: version, content: .deleted)
            case .record(let id, let version, _):
                // A version made of a part of the record is another than that of the whole.
                let isWhole = plan.isWhole(value) || plan.mapping.version != nil
                tell(id, version: isWhole ? version : .none, host)
            case .bad: host.gap()
            }
        case .snapshot: tell(value.elements ?? [], host)
        }
    }

    private func tell(_ id: RecordID, version: JSONValue?, _ host: PluginHost) {
        host.event(
            model: plan.model.name, id: id, version: version,
            content: subscription.isDeletion ? .deleted : .unseen)
    }

    /// A key alone, or an object that has it.
    private func id(_ value: JSONValue) -> RecordID? {
        if value.members != nil {
            switch plan.item(value) {
            case .record(let id, _, _), .deleted(let id, _): return id
            case .bad: return nil
            }
        }
        guard plan.model.key.count == 1 else { return nil }
        let key = JSONObject([(plan.model.key[0], value)])
        return plan.model.id(of: key)
    }

    private mutating func tell(_ items: [JSONValue], _ host: PluginHost) {
        var now: [RecordID: JSONValue] = [:]
        for item in items {
            if let id = id(item) { now[id] = item }
        }
        defer { snapshot = now }
        // The first shows that the API listens: what was written until then is pulled.
        guard let before = snapshot else { return host.gap() }
        for (id, item) in now where before[id] != item {
            host.event(model: plan.model.name, id: id, version: nil)
        }
        // What is in a full snapshot no more may only have been crowded out of it.
        let isFull = subscription.window.map { before.count >= $0 } ?? false
        for id in before.keys where now[id] == nil {
            host.event(
                model: plan.model.name, id: id, version: nil,
                content: isFull ? .unseen : .deleted)
        }
    }
}
