internal import JSON
internal import Records

// What a schema change does to our own tables. A page at a time: a store may hold any number.
extension Store {
    private static let page: Int64 = 256

    /// Lets everything of a renamed model go by its present name.
    func renameModels(_ change: SchemaChange) throws(StoreError) {
        for change in change.models {
            guard let new = change.new?.name, !new.sameBytes(as: change.old.name) else { continue }
            for table in [
                "mutation", "base", "change", "undo_entry", "quarantine", "_renamed", "_detachment",
            ] {
                let statement = try connection.prepare(
                    "UPDATE OR REPLACE \(table) SET model = ? WHERE model = ?", isKept: false)
                try statement.bind(1, new)
                try statement.bind(2, change.old.name)
                while try statement.step() {}
            }
            // Where the backend goes on with another name's data is for it to say anew. Where it does
            // not know the new name it would seem to have lost all: that needs consent.
            for name in [new, change.old.name] { try forgetPulls(of: name) }
            let anew = Cursor(
                model: new, scope: "", token: nil, epoch: nil, complete: false, syncedAt: nil,
                isFull: true, isReset: true, fullSince: try lastChangeSeq())
            _ = try saveCursor(anew, replacing: nil)
        }
    }

    /// Makes the next pull of a model begin anew; what it does not meet goes at its end.
    private func forgetPulls(of model: String) throws(StoreError) {
        try deleteCursor(model)
        try clearSeen(model)
    }

    /// Brings bases, undo entries and kept bytes to the names and values of the new schema.
    func carry(_ change: ModelChange) throws(StoreError) {
        guard let model = change.new?.name else { return }
        if change.isRekeyed { try restartPull(of: model) }
        guard change.altersRecords else { return }
        try carryBases(of: model, change)
        try carryUndo(of: model, change)
        if !change.renames.isEmpty { try carryQuarantine(of: model, change) }
    }

    /// Lets kept bytes go by the present names: under the former ones they would lack those fields.
    private func carryQuarantine(of model: String, _ change: ModelChange) throws(StoreError) {
        var last = Int64.min
        while true {
            let page = try quarantine(after: last, limit: Int(Store.page))
            guard let end = page.last else { return }
            last = end.n
            for item in page where item.model.sameBytes(as: model) {
                let raw: JSONValue
                do throws(JSONError) { raw = try JSONValue.parse(item.raw) } catch { continue }
                guard case .object(let record) = raw else { continue }
                let renamed = JSONObject(
                    record.pairs.map { key, value in
                        let name = change.presentName(of: key)
                        return (record[name] == nil ? name : key, value)
                    })
                if renamed != record { try setQuarantined(item.n, renamed) }
            }
        }
    }

    private func carryBases(of model: String, _ change: ModelChange) throws(StoreError) {
        var last = ""
        while true {
            let page = try all(
                """
                SELECT id, version, record, deleted_record FROM base
                WHERE model = ? AND id > ? ORDER BY id LIMIT ?
                """,
                { (row) throws(StoreError) in
                    try row.bind(1, model)
                    try row.bind(2, last)
                    try row.bind(3, Store.page)
                },
                { (row) throws(StoreError) in
                    (
                        id: row.text(0),
                        base: Base(
                            version: try row.json(1), record: try row.object(2),
                            deletedRecord: try row.object(3))
                    )
                })
            guard let end = page.last else { return }
            last = end.id
            for (id, base) in page {
                var carried = base
                carried.record = base.record.map { change.carried(record: $0, in: schema) }
                carried.deletedRecord = base.deletedRecord.map {
                    change.carried(record: $0, in: schema)
                }
                if carried != base { try setBase(RecordKey(model, RecordID(id)), carried) }
            }
        }
    }

    private func carryUndo(of model: String, _ change: ModelChange) throws(StoreError) {
        var last: (group: String, ordinal: Int64) = ("", .min)
        while true {
            let page = try all(
                """
                SELECT "group", ordinal, before, after FROM undo_entry
                WHERE model = ? AND ("group", ordinal) > (?, ?)
                ORDER BY "group", ordinal LIMIT ?
                """,
                { (row) throws(StoreError) in
                    try row.bind(1, model)
                    try row.bind(2, last.group)
                    try row.bind(3, last.ordinal)
                    try row.bind(4, Store.page)
                },
                { (row) throws(StoreError) in
                    (
                        group: row.text(0), ordinal: row.integer(1), before: try row.object(2),
                        after: try row.object(3)
                    )
                })
            guard let end = page.last else { return }
            last = (end.group, end.ordinal)
            for entry in page {
                let isWhole = entry.before == nil || entry.after == nil
                let carried = { (object: JSONObject) in
                    isWhole
                        ? change.carried(record: object, in: self.schema)
                        : change.carried(values: object, in: self.schema)
                }
                try run(
                    """
                    UPDATE undo_entry SET before = ?, after = ?
                    WHERE "group" = ? AND ordinal = ?
                    """
                ) { (row) in
                    row.bind(1, json: entry.before.map(carried))
                    row.bind(2, json: entry.after.map(carried))
                    row.bind(3, entry.group)
                    row.bind(4, entry.ordinal)
                }
            }
        }
    }
}
