package import Records

/// Where in the change feed the store last heard of each record from the backend, by pull or push.
///
/// The feed has no index by record: one reading of it serves any number of questions.
package struct HeardPlaces {
    private var places: [RecordKey: Int64] = [:]
    /// Lines up to here are known, or passed over.
    fileprivate private(set) var end: Int64

    /// Knows nothing of what was heard up to `place`, and for now nothing of what was heard since.
    package init(since place: Int64) { end = place }

    package func isSilent(_ record: RecordKey, since place: Int64) -> Bool {
        places[record].map { $0 <= place } ?? true
    }

    /// Takes what was written up to `place` for known.
    package mutating func pass(to place: Int64) { end = max(end, place) }

    fileprivate mutating func note(_ record: RecordKey, at place: Int64) {
        places[record] = place
        end = place
    }
}

// What was put into quarantine may be the backend's latest word on its record by now.
extension Store {
    /// Reads on where the places end.
    package func read(_ places: inout HeardPlaces) throws(StoreError) {
        let lines = try prepared(
            """
            SELECT seq, model, id FROM change
            WHERE seq > ? AND origin IN ('push', 'remote', 'rebase') ORDER BY seq
            """)
        let end = places.end
        try each(lines) { (row) throws(StoreError) in
            try row.bind(1, end)
        } _: { (row) throws(StoreError) in
            places.note(RecordKey(row.text(1), RecordID(row.text(2))), at: row.integer(0))
            return true
        }
    }

    /// Places of the feed's end at which an item of a model must have come to be the backend's latest
    /// word surely, where nothing was heard of its record since: no pull of everything began since,
    /// and no line was pruned, of which nobody can tell what it said.
    ///
    /// - Returns: Nil where no item is.
    package func tellingPlaces(of model: String) throws(StoreError) -> ClosedRange<Int64>? {
        guard let cursor = try cursor(model), cursor.fullSince >= 0 else { return nil }
        guard let first = try firstChangeSeq() else {
            return cursor.fullSince == 0 ? 0...0 : nil
        }
        return max(cursor.fullSince, first - 1)...(.max)
    }

    /// The feed's end when the first of the items came that kept it; nil where none did.
    package func firstQuarantinePlace() throws(StoreError) -> Int64? {
        try first(
            "SELECT min(heard) FROM quarantine",
            { (row) throws(StoreError) in row.optionalInteger(0) }) ?? nil
    }
}
