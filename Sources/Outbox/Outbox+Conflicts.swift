package import JSON
package import Records
package import Storage

/// A record that waits for a person: what it was, what it is here and what it is there.
package struct RecordConflict: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case field
        /// Edited here, deleted there.
        case editDelete = "edit-delete"
        /// Deleted here, edited there.
        case deleteEdit = "delete-edit"
    }

    package var model: String
    package var id: RecordID
    package var kind: Kind
    /// The disputed fields.
    package var fields: [FieldConflict]
    package var seq: Int64
    package var message: String?
}

/// How a person ends a conflict.
package enum Resolution: Sendable, Equatable {
    case local
    case remote
    /// Their own values for the disputed fields; what is not among them stays disputed.
    case values(JSONObject)

    fileprivate func settles(_ field: String) -> Bool {
        if case .values(let values) = self { values.index(of: field) != nil } else { true }
    }
}

extension Outbox {
    /// Every record in conflict, oldest mutation first.
    package func conflicts() throws(StoreError) -> [RecordConflict] {
        var found: [RecordConflict] = []
        for mutation in try store.mutations(states: [.conflict], group: nil, after: 0, limit: .max)
        {
            guard let model = store.schema.model(mutation.model) else { continue }
            found.append(
                describe(mutation, ground(of: mutation, try state(of: model, mutation.id))))
        }
        return found
    }

    /// What a mutation stands on: the backend's word, with the record's earlier mutations on it.
    private func ground(of mutation: Mutation, _ state: RecordState) -> Base {
        var ground = state.base
        ground.record = fold(state.base, state.live.filter { $0.seq < mutation.seq })
        return ground
    }

    private func describe(_ mutation: Mutation, _ base: Base) -> RecordConflict {
        let kind =
            mutation.failure.flatMap { RecordConflict.Kind(rawValue: $0.kind) }
            ?? (mutation.kind == .delete ? .deleteEdit : .field)
        var fields: [FieldConflict] = []
        switch kind {
        case .field:
            for (name, local) in mutation.set.pairs {
                let was = mutation.was[name] ?? .null
                let remote = base.record?[name] ?? .null
                if was != remote, local != remote {
                    fields.append(
                        FieldConflict(field: name, base: was, local: local, remote: remote))
                }
            }
        case .editDelete:
            for (name, local) in mutation.set.pairs {
                fields.append(
                    FieldConflict(
                        field: name, base: mutation.was[name] ?? .null, local: local,
                        remote: .null))
            }
        case .deleteEdit:
            for (name, remote) in base.record?.pairs ?? [] {
                let was = mutation.was[name] ?? .null
                if was != remote {
                    fields.append(
                        FieldConflict(field: name, base: was, local: .null, remote: remote))
                }
            }
        }
        return RecordConflict(
            model: mutation.model, id: mutation.id, kind: kind, fields: fields, seq: mutation.seq,
            message: mutation.failure?.message)
    }

    /// Lets the next sync ask the programs of the merge policies about a conflict once more; false
    /// where they do not decide all of it.
    func askAgain(_ mutation: Mutation, _ model: Model, _ policies: MergePolicies)
        throws(StoreError) -> Bool
    {
        let conflict = describe(mutation, ground(of: mutation, try state(of: model, mutation.id)))
        guard isForProgram(conflict, policies) else { return false }
        var asked = mutation
        asked.failure = Mutation.Failure(
            kind: Rebase.commandKind,
            message: Rebase.dispute(conflict.fields), field: conflict.fields.first?.field)
        try store.updateMutation(asked)
        return true
    }

    /// True for a change in conflict that programs decide, so that they can be asked again.
    package func canAskAgain(
        _ mutation: Mutation, policies: MergePolicies
    ) throws(StoreError) -> Bool {
        guard let model = store.schema.model(mutation.model) else { return false }
        return isForProgram(
            describe(mutation, ground(of: mutation, try state(of: model, mutation.id))), policies)
    }

    private func isForProgram(_ conflict: RecordConflict, _ policies: MergePolicies) -> Bool {
        conflict.kind == .field && !conflict.fields.isEmpty
            && conflict.fields.allSatisfy { field in
                if case .command = policies.policy(of: field.field) { true } else { false }
            }
    }

    /// Ends the conflict of a record; later mutations of it are rebased and may go.
    ///
    /// Of several it is the first one's, unless `seq` names another.
    package func resolve(
        _ model: Model, _ id: RecordID, _ seq: Int64? = nil, as resolution: Resolution,
        policies: MergePolicies, group: String
    ) throws(StoreError) -> RepairOutcome {
        let state = try state(of: model, id)
        let found = state.live.first { $0.state == .conflict && $0.seq == seq ?? $0.seq }
        guard let mutation = found else { return .notFound }
        let ground = ground(of: mutation, state)
        let conflict = describe(mutation, ground)
        var resolution = resolution
        if case .values(let values) = resolution {
            resolution = .values(try naming(values, model))
        }
        if case .values(let values) = resolution, conflict.kind == .field {
            let open = conflict.fields.map(\.field).filter { values.index(of: $0) == nil }
            if !open.isEmpty {
                return .refused(
                    "\(open.joined(separator: ", ")) would still be undecided: give a value for "
                        + "each, or --local or --remote for all")
            }
        }
        guard let resolved = resolved(mutation, conflict, ground, resolution) else {
            return .refused(
                conflict.kind == .deleteEdit
                    ? "a record deleted here takes --local or --remote, not values"
                    : "nothing is left of the record that the edit could stand on: use --remote")
        }
        var base = state.base
        switch resolved {
        case .keep(let kept):
            try place(try stillWaiting(kept), model)
            if kept.kind == .delete { try discardLaterEdits(than: mutation, state) }
            if kept.kind == .create {
                base.deletedRecord = nil
                try settleCreate(kept.seq, model)
            }
        case .drop:
            try discard(mutation)
            if conflict.kind == .editDelete {
                base.deletedRecord = nil
                try discardLaterEdits(than: mutation, state)
            }
        }
        let before = try store.record(model, id)?.record
        let others = try store.mutations(of: RecordKey(model.name, id))
            .contains { $0.state.isLive }
        if others {
            try rebase(model, id, onto: base, policies: policies, cause: .remote)
        } else {
            try refold(model, id, base: base)
        }
        let after = try store.record(model, id)?.record
        try view(ViewChange(from: before, to: after), model, mutation, group)
        return .done
    }

    func discard(_ mutation: Mutation) throws(StoreError) {
        try store.releaseDependents(of: mutation.seq)
        try standLater(without: mutation)
        try passHolds(of: mutation)
        try store.removeMutation(mutation.seq)
        if let model = store.schema.model(mutation.model) { try doubtFilteredPull(of: model) }
    }

    /// Whoever lets a record be gone lets go of later edits of it too.
    func discardLaterEdits(than mutation: Mutation, _ state: RecordState)
        throws(StoreError)
    {
        for later in state.live where later.seq > mutation.seq {
            if later.kind == .create || later.kind == .replace { return }
            try discard(later)
        }
    }

    private func resolved(
        _ mutation: Mutation, _ conflict: RecordConflict, _ ground: Base,
        _ resolution: Resolution
    ) -> Rebase.Result? {
        var kept = mutation
        kept.state = .queued
        kept.failure = nil
        kept.key = makeKey()
        kept.isFrozen = false
        kept.attempts = 0
        kept.notBefore = 0
        kept.baseVersion = ground.version
        switch (conflict.kind, resolution) {
        case (.editDelete, .remote), (.deleteEdit, .remote):
            return .drop(seq: mutation.seq)
        case (.deleteEdit, .local):
            kept.was = ground.record ?? JSONObject()
            return .keep(kept)
        case (.deleteEdit, .values):
            return nil
        case (.editDelete, .local), (.editDelete, .values):
            // The record is made anew, whole.
            guard let whole = ground.deletedRecord else { return nil }
            kept.kind = .create
            kept.baseVersion = nil
            kept.set = whole.overlaid(with: mutation.set)
            if case .values(let values) = resolution { kept.set = kept.set.overlaid(with: values) }
            kept.was = JSONObject()
            return .keep(kept)
        case (.field, .remote):
            if kept.kind == .replace {
                // It stands for the whole record, with what is settled the remote's way in it.
                for field in conflict.fields {
                    kept.set[field.field] = field.remote
                    kept.was[field.field] = field.remote
                }
                return .keep(kept)
            }
            for field in conflict.fields {
                kept.set[field.field] = nil
                kept.was[field.field] = nil
            }
            return kept.set.isEmpty ? .drop(seq: mutation.seq) : .keep(kept)
        case (.field, .local), (.field, .values):
            if case .values(let values) = resolution { kept.set = kept.set.overlaid(with: values) }
            let open = conflict.fields.map(\.field).filter { !resolution.settles($0) }
            for name in kept.set.keys where !open.contains(name) {
                kept.was[name] = ground.record?[name] ?? .null
            }
            return .keep(kept)
        }
    }
}
