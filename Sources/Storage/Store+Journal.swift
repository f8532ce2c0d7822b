package import JSON
package import Records

// What undo works from. The feed's local lines say which groups there are and what they created:
// only what the feed does not say is written here, so that a create costs nothing.
extension Store {
    /// Notes what a group did to a record; of a create nothing need be noted, and nothing is.
    package func journal(
        group: String, key: RecordKey, before: JSONObject?, after: JSONObject?
    ) throws(StoreError) {
        guard let before else { return }
        // Entries and the feed's lines share one order.
        try run(
            """
            INSERT INTO undo_entry ("group", ordinal, model, id, before, after)
            SELECT ?1, max(
                coalesce((SELECT max(ordinal) + 1 FROM undo_entry WHERE "group" = ?1), 0),
                coalesce((SELECT max(seq) + 1 FROM change), 1)), ?2, ?3, ?4, ?5
            """
        ) { (row) in
            row.bind(1, group)
            row.bind(2, key.model)
            row.bind(3, key.id.text)
            row.bind(4, json: before)
            row.bind(5, json: after)
        }
    }

    /// The groups of this workspace that are not undone, newest first.
    package func undoableGroups(limit: Int) throws(StoreError) -> [UndoGroup] {
        var groups: [UndoGroup] = []
        var met: Set<String> = []
        try each(
            prepared(
                """
                SELECT "group", at FROM change WHERE origin = 'local' AND "group" IS NOT NULL
                ORDER BY seq DESC
                """), { _ in }
        ) { (row) throws(StoreError) in
            let group = row.text(0)
            if groups.count >= limit { return false }
            guard met.insert(group).inserted else { return true }
            if try !isUndone(group) {
                groups.append(UndoGroup(group: group, at: row.integer(1)))
            }
            return true
        }
        return groups
    }

    /// What a group did, in its order: records by their present ids, values as they were then.
    package func journal(of group: String) throws(StoreError) -> [JournalEntry] {
        let noted = try all(
            """
            SELECT ordinal, model, id, before, after FROM undo_entry
            WHERE "group" = ? AND ordinal >= 0 ORDER BY ordinal
            """, { (row) throws(StoreError) in try row.bind(1, group) },
            { (row) throws(StoreError) in
                (
                    row.integer(0),
                    JournalEntry(
                        key: RecordKey(row.text(1), RecordID(row.text(2))),
                        before: try row.object(3), after: try row.object(4))
                )
            })
        let created = try all(
            """
            SELECT seq, model, id FROM change
            WHERE "group" = ? AND origin = 'local' AND kind = 'insert' ORDER BY seq
            """, { (row) throws(StoreError) in try row.bind(1, group) },
            { (row) throws(StoreError) in
                (row.integer(0), RecordKey(row.text(1), RecordID(row.text(2))))
            })
        var entries = noted
        for (seq, key) in created {
            let after = try createdState(of: key, by: group)
            entries.append((seq, JournalEntry(key: key, before: nil, after: after)))
        }
        entries.sort { $0.0 < $1.0 }
        for place in entries.indices {
            let key = entries[place].1.key
            entries[place].1.key = RecordKey(key.model, try presentID(of: key))
        }
        return entries.map(\.1)
    }

    package func markUndone(_ group: String) throws(StoreError) {
        try run(
            """
            INSERT INTO undo_group ("group", at, undone) VALUES (?, 0, 1)
            ON CONFLICT ("group") DO UPDATE SET undone = 1
            """
        ) { (row) in row.bind(1, group) }
    }

    /// Keeps what a create set when its mutation leaves the queue, or another group's edit is merged
    /// into it: until then the mutation says.
    package func keepCreatedState(of seq: Int64) throws(StoreError) {
        try run(
            """
            INSERT OR IGNORE INTO undo_entry ("group", ordinal, model, id, after)
            SELECT "group", -seq, model, id, "set" FROM mutation
            WHERE seq = ? AND kind IN ('create', 'replace')
            """
        ) { (row) in row.bind(1, seq) }
    }

    /// Keeps what a create sets that another group's mutation, of that number, takes in.
    package func keepCreatedState(_ create: Mutation, at seq: Int64) throws(StoreError) {
        try run(
            """
            INSERT OR IGNORE INTO undo_entry ("group", ordinal, model, id, after)
            VALUES (?, ?, ?, ?, ?)
            """
        ) { (row) in
            row.bind(1, create.group)
            row.bind(2, -seq)
            row.bind(3, create.model)
            row.bind(4, create.id.text)
            row.bind(5, json: create.set)
        }
    }

    private func createdState(
        of key: RecordKey, by group: String
    ) throws(StoreError) -> JSONObject? {
        let present = RecordKey(key.model, try presentID(of: key))
        if let kept = try keptState(of: key, present, by: group) { return kept }
        return try mutations(of: present).last {
            $0.group == group && ($0.kind == .create || $0.kind == .replace)
        }?.set
    }

    private func keptState(
        of key: RecordKey, _ present: RecordKey, by group: String
    ) throws(StoreError) -> JSONObject? {
        try first(
            """
            SELECT after FROM undo_entry
            WHERE "group" = ? AND ordinal < 0 AND model = ? AND id IN (?, ?)
            ORDER BY ordinal LIMIT 1
            """,
            { (row) throws(StoreError) in
                try row.bind(1, group)
                try row.bind(2, key.model)
                try row.bind(3, key.id.text)
                try row.bind(4, present.id.text)
            }, { (row) throws(StoreError) in try row.object(0) }) ?? nil
    }

    private func isUndone(_ group: String) throws(StoreError) -> Bool {
        try first(
            "SELECT undone FROM undo_group WHERE \"group\" = ?",
            { (row) throws(StoreError) in try row.bind(1, group) },
            { (row) throws(StoreError) in row.boolean(0) }) ?? false
    }
}
