internal import JSON
internal import Records
internal import Sync

// The checks of level sync about deltas.

extension ConformanceBench {
    func deltaMissesNothing() throws(Shortfall) {
        _ = try writable()
        guard capabilities.hasDelta else { throw .skipped("its capabilities have no delta") }
        let old = try make(3)
        var cursor = try end(try pull())
        var expected: [String: Made] = [:]
        for record in try make(4, on: try other()) { expected[record.id] = record }
        expected[old[0].id] = try edit(old[0], "changed elsewhere", on: try other())
        // While the pages are under way, what is already delivered changes again.
        var late: Made? = old[1]
        let delta = try pull(from: cursor, limit: 2) { () throws(Shortfall) in
            guard let record = late else { return }
            late = nil
            expected[record.id] = try edit(record, "changed during paging", on: try other())
            if let first = expected[old[0].id] {
                expected[old[0].id] = try edit(first, "and again", on: try other())
            }
        }
        cursor = try end(delta)
        var states = delta.states
        // What changed under way may also come with the next delta.
        let next = try pull(from: cursor, limit: 2)
        for (id, state) in next.states { states[id] = state }
        let name = try writable().field.name
        for record in expected.values {
            guard let state = states[record.id] else {
                throw .failed("the delta leaves out \(names([record.id])), which has changed")
            }
            guard state.record?[name] == record.record[name] else {
                throw .failed(
                    "the delta's last word on \(names([record.id])) is an older state of it")
            }
        }
        let quiet = try pull(from: try end(next))
        guard quiet.items.count < states.count || states.isEmpty else {
            throw .failed("nothing has changed since, and the delta brings everything again")
        }
    }

    func deletionIsTombstone() throws(Shortfall) {
        _ = try writable()
        let records = try make(2)
        let cursor = try pull().cursors.last ?? nil
        let delete = Operation(id: records[0].id, kind: .delete, base: records[0].version)
        let outcome = try push(one: delete, on: try other()).outcome
        guard outcome == "ok" else { throw .failed("a delete is \(outcome) instead of ok") }
        let now = try pull().states
        guard now[records[0].id]?.isDeleted != false else {
            throw .failed("a record that was deleted is still pulled")
        }
        guard capabilities.hasDelta, capabilities.hasTombstones else {
            throw .skipped("its capabilities have no tombstones in deltas; it is gone from a pull")
        }
        let delta = try pull(from: cursor).states
        guard delta[records[0].id]?.isDeleted == true else {
            throw .failed("the delta has no \"deleted\":true for a record that was deleted")
        }
        guard delta[records[1].id]?.isDeleted != true else {
            throw .failed("the delta says deleted of a record that was not")
        }
    }

    /// Where a pull has come to.
    func end(_ pulled: Pulled) throws(Shortfall) -> JSONValue {
        guard let cursor = pulled.cursors.last ?? nil else {
            throw .failed("the last page has no cursor, so no delta can begin there")
        }
        return cursor
    }
}
