internal import JSON
package import Records

extension Store {
    /// Adds a line to the feed.
    ///
    /// - Returns: Its place: later lines have greater ones, also after pruning.
    @discardableResult
    package func appendChange(_ change: Change) throws(StoreError) -> Int64 {
        try run(
            """
            INSERT INTO change (model, id, kind, origin, "group", at, fields, version,
                first)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { (row) in
            row.bind(1, change.model)
            row.bind(2, change.id.text)
            row.bind(3, change.kind.rawValue)
            row.bind(4, change.origin.rawValue)
            row.bind(5, change.group)
            row.bind(6, change.at)
            if change.kind.concernsAllFields || change.fields.isEmpty {
                row.bindNull(7)
            } else {
                row.bind(7, json: .array(change.fields.map(JSONValue.string)))
            }
            row.bind(8, json: change.version)
            row.bind(9, transaction.firstChange)
        }
        let seq = connection.lastRowID
        if transaction.mode != .none, transaction.firstChange == nil {
            transaction.firstChange = seq
        }
        return seq
    }

    /// Lines after a place, oldest first; nil stands for every model, every record.
    package func changes(
        after: Int64, model: String? = nil, id: RecordID? = nil, limit: Int = .max
    ) throws(StoreError) -> [Change] {
        try all(
            """
            SELECT seq, model, id, kind, origin, "group", at, fields, version, first
            FROM change
            WHERE seq > ?1 AND (?2 IS NULL OR model = ?2) AND (?3 IS NULL OR id = ?3)
            ORDER BY seq LIMIT ?4
            """,
            { (row) throws(StoreError) in
                try row.bind(1, after)
                try row.bind(2, model)
                try row.bind(3, id?.text)
                try row.bind(4, Int64(limit))
            }, { (row) throws(StoreError) in try change(row) })
    }

    /// The last lines, newest first.
    package func recentChanges(
        model: String? = nil, id: RecordID? = nil, limit: Int
    ) throws(StoreError) -> [Change] {
        try all(
            """
            SELECT seq, model, id, kind, origin, "group", at, fields, version, first
            FROM change
            WHERE (?1 IS NULL OR model = ?1) AND (?2 IS NULL OR id = ?2)
            ORDER BY seq DESC LIMIT ?3
            """,
            { (row) throws(StoreError) in
                try row.bind(1, model)
                try row.bind(2, id?.text)
                try row.bind(3, Int64(limit))
            }, { (row) throws(StoreError) in try change(row) })
    }

    /// The place of the last line; 0 in an empty feed.
    package func lastChangeSeq() throws(StoreError) -> Int64 {
        try first(
            "SELECT seq FROM change ORDER BY seq DESC LIMIT 1",
            { (row) throws(StoreError) in row.integer(0) }) ?? 0
    }

    /// The place of the first line that is still there; nil in an empty feed.
    package func firstChangeSeq() throws(StoreError) -> Int64? {
        try first(
            "SELECT seq FROM change ORDER BY seq LIMIT 1",
            { (row) throws(StoreError) in row.integer(0) })
    }

    /// Records of which the backend has taken a push since a place in the feed.
    package func recordsPushed(
        since seq: Int64, model: String
    ) throws(StoreError) -> Set<RecordID> {
        Set(
            try all(
                "SELECT id FROM change WHERE seq > ? AND model = ? AND origin = 'push'",
                { (row) throws(StoreError) in
                    try row.bind(1, seq)
                    try row.bind(2, model)
                }, { (row) throws(StoreError) in RecordID(row.text(0)) }))
    }

    /// Records of which the store heard from the backend since a place in the feed, in any way.
    package func recordsHeard(
        since seq: Int64, model: String
    ) throws(StoreError) -> Set<RecordID> {
        Set(
            try all(
                """
                SELECT id FROM change
                WHERE seq > ? AND model = ? AND origin IN ('push', 'remote', 'rebase')
                """,
                { (row) throws(StoreError) in
                    try row.bind(1, seq)
                    try row.bind(2, model)
                }, { (row) throws(StoreError) in RecordID(row.text(0)) }))
    }

    private func change(_ row: borrowing Statement) throws(StoreError) -> Change {
        guard let kind = ChangeKind(rawValue: row.text(3)),
            let origin = ChangeOrigin(rawValue: row.text(4))
        else {
            throw StoreError(
                .illegible, "line \(row.integer(0)) of the log is \(row.text(3))",
                hint: "a newer satchel may have written it: use that one")
        }
        let model = row.text(1)
        let fields =
            kind.concernsAllFields
            ? schema.model(model)?.fields.map(\.name) ?? []
            : try row.json(7)?.elements?.compactMap(\.text) ?? []
        return Change(
            seq: row.integer(0), model: model, id: RecordID(row.text(2)), kind: kind,
            origin: origin, group: row.optionalText(5), at: row.integer(6), fields: fields,
            version: try row.json(8), commit: row.optionalInteger(9) ?? row.integer(0))
    }
}

extension ChangeKind {
    fileprivate var concernsAllFields: Bool { self == .insert || self == .delete }
}
