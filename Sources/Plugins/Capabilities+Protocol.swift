internal import JSON
internal import Sync

extension Capabilities {
    /// Reads `capabilities`; what is missing the backend cannot do.
    init(protocol json: JSONObject) {
        self.init()
        if let push = json["push"]?.members {
            pushes = true
            idempotency = push["idempotency"]?.text.flatMap(Idempotency.init(rawValue:)) ?? .none
            batch = Int(clamping: max(1, push["batch"]?.integer ?? 1))
            batchBytes = Int(clamping: max(0, push["bytes"]?.integer ?? 0))
            isAtomic = push["atomic"]?.boolean ?? false
            assignsIDs = push["assigns_ids"]?.boolean ?? false
        } else if json["push"]?.boolean == true {
            pushes = true
        }
        if let pull = json["pull"]?.members {
            hasDelta = pull["delta"]?.boolean ?? false
            hasTombstones = pull["tombstones"]?.boolean ?? false
            hasSnapshot = pull["snapshot"]?.boolean ?? false
            page = Int(clamping: max(0, pull["page"]?.integer ?? 0))
            filterOperators = pull["filter"]?.elements?.compactMap(\.text) ?? []
        }
        hasEvents = json["events"]?.boolean ?? false
        answersPing = json["ping"]?.boolean ?? false
        hasFetch = json["fetch"]?.boolean ?? true
    }
}
