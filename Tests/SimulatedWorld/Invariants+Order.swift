import JSON
import Records
import Storage

extension Invariants {
    /// A record's delete may go once nothing is queued that ends a reference to the record.
    func deletes(_ store: Store, _ mutations: [Mutation]) throws {
        for delete in mutations where delete.kind == .delete && delete.state == .queued {
            for other in mutations
            where other.state.isLive && other.endsReference(to: delete.record) {
                if try waits(store, other.seq, for: delete.seq, mutations) { continue }
                throw Violation(
                    invariant: "order",
                    detail: "the delete of \(delete.id) does not wait for the \(other.kind) of "
                        + "\(other.id), which referred to it")
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
    fileprivate func endsReference(to record: RecordKey) -> Bool {
        if kind == .create || self.record == record || kind == .delete && state == .conflict {
            return false
        }
        return [("postID", "Post"), ("replyToID", "Comment")].contains { field, model in
            guard model == record.model, was[field]?.text == record.id.text else { return false }
            if kind == .update, set.index(of: field) == nil { return false }
            return set[field]?.text != record.id.text
        }
    }
}
