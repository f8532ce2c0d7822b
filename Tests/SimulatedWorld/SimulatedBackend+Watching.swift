import JSON
import Records
import Storage
import Sync

// What is watched: who sends, in which order, and what took effect.
extension SimulatedBackend {
    /// Only who holds the lease sends.
    func checkLease() {
        guard let process else { return }
        let holder = queue { try store.lease()?.owner } ?? nil
        if holder != process.owner {
            world.violation = Violation(
                invariant: "lease",
                detail: "\(process.name) sends, the lease is \(holder ?? "nobody")'s")
        }
    }

    /// What a write refers to comes before it; of one that goes again nobody knows whether it
    /// arrived before that was to be made.
    func note(_ operation: PushOperation) {
        let key = RecordKey(operation.model, operation.id)
        if let record = operation.record { client.posted[key, default: []].append(record) }
        guard client.sent.insert(operation.key).inserted else { return }
        for (field, model) in [("postID", "Post"), ("replyToID", "Comment")] {
            guard let id = operation.set[field]?.text else { continue }
            let parent = RecordKey(model, RecordID(id))
            if parent.id != operation.id, isPending(parent) {
                world.violation = Violation(
                    invariant: "order",
                    detail: "\(operation.id) was sent before \(id), which it refers to")
            }
            if server.assigned(of: parent) != nil, client.renamed.contains(parent) {
                world.violation = Violation(
                    invariant: "order",
                    detail: "\(operation.id) refers to \(id), which has another id by now")
            }
        }
        if operation.kind == .delete { checkChildren(of: key) }
    }

    /// True while the create of a record waits in the queue, and has not arrived either.
    private func isPending(_ key: RecordKey) -> Bool {
        if server.entries[key]?.record != nil { return false }
        return queue {
            try store.mutations(of: key).contains { $0.kind == .create && $0.state.isLive }
        }
            ?? false
    }

    /// Children that were deleted by the same command go first, as far as they are there and the
    /// client knows of no other parent.
    private func checkChildren(of parent: RecordKey) {
        guard parent.model == "Post" else { return }
        let waiting = queue {
            let all = try store.mutations()
            guard let own = all.first(where: { $0.record == parent && $0.kind == .delete }) else {
                return false
            }
            let children = all.filter {
                $0.kind == .delete && $0.group == own.group && $0.model != "Post"
                    && $0.state.isLive && $0.was["postID"]?.text == parent.id.text
                    && server.entries[$0.record]?.record != nil
            }
            return try children.contains {
                try store.base($0.record)?.record?["postID"]?.text == parent.id.text
            }
        }
        if waiting ?? false {
            world.violation = Violation(
                invariant: "order", detail: "\(parent.id) was deleted before its children")
        }
    }

    /// I4: one mutation takes effect under one key.
    func noteEffect(_ operation: PushOperation) {
        guard server.hasEffect(operation.key), server.knowsKeys else { return }
        guard let seq = place(of: operation) else { return }
        client.effects[seq, default: []].insert(operation.key)
        if let keys = client.effects[seq], keys.count > 1 {
            world.violation = Violation(
                invariant: "I4", detail: "\(operation.id) took effect under \(keys.sorted())")
        }
    }

    /// I7: what is refused as a whole while it is sent alone is refused itself; what only fails is
    /// found to be at fault where others pass.
    func note(_ error: BackendError, on operation: PushOperation) {
        switch error.kind {
        case .tooLarge, .permanent, .unsupported: client.refusals.insert(operation.key)
        case .retryable, .broken, .hung, .cursorExpired:
            let sent = queue { try store.mutations(states: [.sending]) } ?? []
            failedAlone.formUnion(sent.filter { $0.key == operation.key }.map(\.seq))
        default: return
        }
    }

    /// Others pass: what failed alone before is charged once, and refused at the eighth time.
    func notePasses(_ verdicts: [String: PushOutcome]) {
        let isHeard = verdicts.values.contains { verdict in
            switch verdict {
            case .ok, .conflict, .rejected: true
            case .retry, .auth, .unknown: false
            }
        }
        guard isHeard else { return }
        for seq in failedAlone {
            client.passes[seq, default: 0] += 1
            if client.passes[seq, default: 0] >= SyncSettings().conflictBound {
                client.refused.insert(seq)
            }
        }
        failedAlone = []
    }

    /// The place in the queue of what is being sent.
    func place(of operation: PushOperation) -> Int64? {
        queue {
            try store.mutations(of: RecordKey(operation.model, operation.id))
                .first { $0.key == operation.key }?.seq
        } ?? nil
    }

    func noteTold(_ operation: PushOperation, _ verdict: PushOutcome?) {
        let key = RecordKey(operation.model, operation.id)
        guard case .ok(let version, _, let assigned) = verdict else { return }
        // What is answered again may have been so for long: where nobody can be asked, what is known
        // stays in view until the next pull.
        let isOld = repeated.contains(operation.key) && !world.setting.capabilities.hasFetch
        if operation.kind == .delete, !isOld, let version = version?.integer {
            client.toldGone[operation.key] = (key, version)
        }
        if assigned != nil { client.toldRenamed[operation.key] = key }
    }

    /// Looks into the store, which is no step of the process's own.
    func queue<T>(_ body: () throws -> T) -> T? {
        process?.isWatched = true
        defer { process?.isWatched = false }
        do { return try body() } catch { return nil }
    }
}
