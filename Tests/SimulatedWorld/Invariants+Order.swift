import JSON
import Records
import Storage

extension Invariants {
    /// A record's delete may go once nothing is queued that ends a reference to the record.
    func deletes(_ store: Store, _ mutations: [Mutation]) throws {
        for delete in mutations where delete.kind == .delete && delete.state == .queued {
            for other in mutations
            where other.state.isLive && other.endsReference(to: delete.record) {
                // What another client made of it refers to the record no more.
                guard try isHeld(store, other, delete.record, mutations) else { continue }
                if try waits(store, other.seq, for: delete.seq, mutations) { continue }
                throw Violation(
                    invariant: "order",
                    detail: "the delete of \(delete.id) does not wait for the \(other.kind) of "
                        + "\(other.id), which referred to it")
            }
        }
    }

    /// What waits for a refused change of its own record of which nobody knows whether it arrived.
    func held(_ store: Store, _ queue: Queue) throws -> Set<Int64> {
        var held: Set<Int64> = []
        for refused in queue.mutations
        where refused.state == .rejected && refused.hasUnknownOutcome {
            let later = queue.byRecord[refused.record] ?? []
            let waiting = try store.dependents(on: refused.seq)
            held.formUnion(waiting.filter { seq in later.contains { $0.seq == seq } })
        }
        return held
    }

    /// Nothing that waits for such a change is sent, or would be.
    func outcomes(_ queue: Queue) throws {
        for mutation in queue.mutations where queue.held.contains(mutation.seq) {
            if [.waiting, .conflict, .rejected].contains(mutation.state) { continue }
            throw Violation(
                invariant: "order",
                detail: "\(mutation) goes before it is known whether what it stands on arrived")
        }
    }

    /// True where the backend's record refers to `target`, or will by what is queued before.
    private func isHeld(
        _ store: Store, _ mutation: Mutation, _ target: RecordKey, _ mutations: [Mutation]
    ) throws -> Bool {
        var records = mutations.filter {
            $0.record == mutation.record && $0.seq < mutation.seq && $0.state.isLive
        }.map(\.set)
        if let there = try store.base(mutation.record)?.record { records.append(there) }
        return records.contains { record in
            Mutation.links.contains { field, model in
                model == target.model && record[field]?.text == target.id.text
            }
        }
    }

    private func waits(
        _ store: Store, _ seq: Int64, for awaited: Int64, _ mutations: [Mutation]
    ) throws -> Bool {
        var open = [seq]
        var met: Set<Int64> = []
        while let next = open.popLast() {
            if next == awaited { return true }
            guard met.insert(next).inserted, let own = mutations.first(where: { $0.seq == next })
            else { continue }
            open += try store.dependencies(of: next)
            open += mutations.filter { $0.record == own.record && $0.seq < next && $0.state.isLive }
                .map(\.seq)
        }
        return false
    }
}

extension Mutation {
    fileprivate static let links = [("postID", "Post"), ("replyToID", "Comment")]

    fileprivate func endsReference(to record: RecordKey) -> Bool {
        if kind == .create || self.record == record || kind == .delete && state == .conflict {
            return false
        }
        return Mutation.links.contains { field, model in
            guard model == record.model, was[field]?.text == record.id.text else { return false }
            if kind == .update, set.index(of: field) == nil { return false }
            return set[field]?.text != record.id.text
        }
    }
}
