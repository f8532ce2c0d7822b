internal import JSON
package import Records
internal import Sabotage

/// Puts live mutations of one record onto a new base: three-way by field, no clock.
///
/// ```
///        was ──── set            what the user changed, and from what
///         │                      drop: the backend has the value already
///       remote ── set'           park: both changed it and no policy decides
/// ```
package struct Rebase {
    /// Why the base moved.
    package enum Cause: Sendable, Equatable {
        /// The backend told of a newer state.
        case remote
        /// The backend answered one of the record's own mutations.
        case ownWrite
    }

    /// What becomes of one mutation.
    package enum Result: Sendable, Equatable {
        case keep(Mutation)
        /// The backend already has what it asks for, or a policy gave way.
        case drop(seq: Int64)

        /// The mutation, if it stays.
        var kept: Mutation? {
            if case .keep(let mutation) = self { mutation } else { nil }
        }
    }

    package var policies: MergePolicies
    package var model: Model
    package var makeKey: () -> String

    package init(policies: MergePolicies, model: Model, makeKey: @escaping () -> String) {
        self.policies = policies.ordering(model)
        self.model = model
        self.makeKey = makeKey
    }

    /// What becomes of each of `live`, the live mutations of one record, oldest first.
    ///
    /// Sent ones without a verdict pass unchanged: their key stands for their payload. So do the
    /// `held` ones, which wait to know whether a refused one before them arrived.
    package func apply(
        _ live: [Mutation], onto base: Base, cause: Cause, held: Set<Int64> = []
    ) -> [Result] {
        var ground = base.record
        var results: [Result] = []
        for (index, mutation) in live.enumerated() {
            var mutation = mutation
            if ground == nil, isMoot(live[index...]) {
                // It is gone there, and was to be gone here in the end.
                results.append(.drop(seq: mutation.seq))
                continue
            }
            if let next = live[safe: index + 1], mutation.isRefusedDelete, ground != nil,
                next.isCreateToBeSent
            {
                results.append(.drop(seq: mutation.seq))
                continue
            }
            if let delete = live[safe: index - 1], results.last == .drop(seq: delete.seq),
                delete.isRefusedDelete, mutation.kind == .create
            {
                mutation.kind = .replace
                mutation.was = delete.was
                mutation = mutation.clearing(model)
            }
            var result =
                mutation.isInFlight || held.contains(mutation.seq)
                ? .keep(mutation) : rebased(mutation, ground: ground, base: base, cause: cause)
            if mutation.kind == .delete, mutation.state == .conflict, index + 1 < live.count {
                // The record came back in view and was edited since: nobody but a person can tell.
                result = .keep(mutation)
            }
            results.append(result)
            if case .keep(let kept) = result {
                ground = kept.applied(to: ground, orElse: base.deletedRecord)
            }
        }
        return results
    }

    /// True for edits that end in a delete, none of which was sent.
    private func isMoot(_ rest: ArraySlice<Mutation>) -> Bool {
        guard rest.first?.kind == .update || rest.first?.kind == .delete,
            let end = rest.firstIndex(where: { $0.kind != .update }), rest[end].kind == .delete
        else { return false }
        return rest[...end].allSatisfy { !$0.isInFlight }
    }

    private func rebased(
        _ mutation: Mutation, ground: JSONObject?, base: Base, cause: Cause
    ) -> Result {
        switch mutation.kind {
        case .create, .replace:
            guard let ground else { return .keep(recreated(mutation)) }
            return merged(mutation, remote: ground, version: base.version)
        case .update:
            guard let ground else { return editOfDeleted(mutation, base) }
            return merged(mutation, remote: ground, version: base.version)
        case .delete:
            guard let ground else { return .drop(seq: mutation.seq) }
            return deleteOfEdited(mutation, ground: ground, version: base.version, cause: cause)
        }
    }

    /// The record is not there (any more): the whole of it is asked for.
    private func recreated(_ mutation: Mutation) -> Mutation {
        var kept = free(mutation)
        kept.kind = .create
        kept.baseVersion = nil
        kept.was = JSONObject()
        return kept
    }

    private func merged(_ mutation: Mutation, remote: JSONObject, version: JSONValue?) -> Result {
        let merge = merge(
            set: mutation.set, was: mutation.was, remote: remote, policies: policies)
        let disputed = merge.conflicts + merge.needsCommand
        if merge.set.isEmpty, disputed.isEmpty { return .drop(seq: mutation.seq) }
        var kept = free(mutation)
        kept.baseVersion = version
        kept.set = merge.set
        kept.was = sabotage(.forgetWas) ? mutation.was : merge.was
        for conflict in disputed {
            kept.set[conflict.field] = conflict.local
            kept.was[conflict.field] = conflict.base
        }
        switch kept.kind {
        case .create: kept.kind = .update
        case .replace:
            // It stands for the whole record: what was settled the remote's way stays in it.
            for name in mutation.set.keys where kept.set.index(of: name) == nil {
                kept.set[name] = remote[name] ?? .null
            }
            kept.was = remote.overlaid(with: kept.was)
        case .update, .delete: break
        }
        if disputed.isEmpty { return .keep(kept) }
        kept.state = .conflict
        kept.failure = Mutation.Failure(
            kind: merge.conflicts.isEmpty ? Rebase.commandKind : "field",
            message: Rebase.dispute(disputed), field: disputed.first?.field)
        return .keep(kept)
    }

    private func editOfDeleted(_ mutation: Mutation, _ base: Base) -> Result {
        // The backend never had the record: its create was refused, and this waits for that.
        if base.deletedRecord == nil, mutation.state == .waiting { return .keep(mutation) }
        if policies.model == .server { return .drop(seq: mutation.seq) }
        if policies.model == .local, let whole = base.deletedRecord {
            var kept = recreated(mutation)
            kept.set = whole.overlaid(with: mutation.set)
            return .keep(kept)
        }
        var kept = free(mutation)
        kept.state = .conflict
        kept.failure = Mutation.Failure(
            kind: "edit-delete", message: "edited here, deleted there", field: nil)
        return .keep(kept)
    }

    private func deleteOfEdited(
        _ mutation: Mutation, ground: JSONObject, version: JSONValue?, cause: Cause
    ) -> Result {
        var kept = free(mutation)
        kept.baseVersion = version
        let isSame = mutation.was.isEmpty || sees(mutation.was, ground, cause)
        if isSame || policies.model == .local {
            kept.was = ground
            return .keep(kept)
        }
        if policies.model == .server { return .drop(seq: mutation.seq) }
        kept.state = .conflict
        kept.failure = Mutation.Failure(
            kind: "delete-edit", message: "deleted here, edited there", field: nil)
        return .keep(kept)
    }

    /// True when `remote` holds nothing that whoever deleted `seen` did not know of.
    ///
    /// After a write of our own, values that the backend filled in where there were none do not
    /// count.
    private func sees(_ seen: JSONObject, _ remote: JSONObject, _ cause: Cause) -> Bool {
        remote.pairs.allSatisfy { name, value in
            let known = seen[name] ?? .null
            return known == value || (cause == .ownWrite && known.isNull)
        } && (cause == .ownWrite || seen.pairs.allSatisfy { ($1.isNull) || remote[$0] != nil })
    }

    /// The mutation as one to be sent anew: a refused or superseded key is not used again.
    private func free(_ mutation: Mutation) -> Mutation {
        var kept = mutation
        if kept.isFrozen {
            kept.key = makeKey()
            kept.isFrozen = false
        }
        if kept.state == .conflict, kept.failure?.kind != Rebase.staleKind {
            kept.state = .queued
            kept.failure = nil
        }
        return kept
    }

    /// The failure of a mutation that met a newer state again and again: parked for good.
    package static let staleKind = "stale"
    /// The failure of a mutation whose conflict programs of the merge policies decide.
    package static let commandKind = "command"

    /// What a conflict is about.
    package static func dispute(_ fields: [FieldConflict]) -> String {
        "both sides changed \(fields.map(\.field).joined(separator: ", "))"
    }
}

extension Mutation {
    /// Sent, and the outcome is not known yet.
    package var isInFlight: Bool { state == .sending || state == .unknown }

    /// The base may have moved under it, or under what waits for it: in conflict, or of unknown
    /// outcome, it was not put onto the new one.
    var stoodOnOlder: Bool { state == .conflict || hasUnknownOutcome }

    /// A delete that the backend did not take: with the create that follows it replaces.
    fileprivate var isRefusedDelete: Bool {
        kind == .delete && !isInFlight && (isFrozen || state == .conflict)
    }

    fileprivate var isCreateToBeSent: Bool { kind == .create && !isInFlight }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
