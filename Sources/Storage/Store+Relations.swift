package import JSON
package import Records

extension Store {
    /// The records on the other side of a relation, in id order.
    ///
    /// `record` is of `model`; a null in its part of the relation means none.
    package func related(
        _ relation: Relation, of record: JSONObject, in model: Model, limit: Int = .max
    ) throws(StoreError) -> [(id: RecordID, record: StoredRecord)] {
        guard let other = schema.model(relation.model) else {
            throw StoreError(.misuse, "the schema has no model \(relation.model)")
        }
        let layout = try table(other.name).layout
        var rows: [(id: RecordID, record: StoredRecord)] = []
        try visitRelated(relation, record, other, layout.selected(from: "t1"), limit) {
            (row) throws(StoreError) in
            let stored = StoredRecord(
                record: try StoredRow.record(row.handle, layout), version: try row.json(1))
            rows.append((RecordID(row.text(0)), stored))
        }
        return rows
    }

    /// Records of `model` with live mutations whose fields of `relation` name `record`, a record
    /// of the relation's other model.
    package func pendingRecords(
        of model: Model, referringTo record: JSONObject, by relation: Relation
    ) throws(StoreError) -> [RecordID] {
        guard let values = record.values(of: relation.references) else { return [] }
        var ids: [RecordID] = []
        let table = try table(model.name)
        try each(
            prepared(.referring(relation.fields), of: table),
            { (row) throws(StoreError) in
                try row.bind(1, model.name)
                for (index, value) in values.enumerated() {
                    try row.bind(Int32(index + 2), SQLValue(value, as: .text))
                }
            },
            { (row) throws(StoreError) in
                ids.append(RecordID(row.text(0)))
                return true
            })
        return ids
    }

    /// Records of a model with a rejected mutation in whose values the first of `values` stands,
    /// wherever that is: a bound that is cheap to find.
    package func rejectedRecords(
        of model: String, naming values: [JSONValue]
    ) throws(StoreError) -> [RecordID] {
        guard let value = values.first else { return [] }
        return try all(
            """
            SELECT DISTINCT id FROM mutation
            WHERE (state <> 'queued' OR not_before > 0) AND state = 'rejected' AND model = ?1
                AND (instr("set", ?2) > 0 OR instr(was, ?2) > 0)
            """,
            { (row) throws(StoreError) in
                try row.bind(1, model)
                try row.bind(2, json: value)
            }, { (row) throws(StoreError) in RecordID(row.text(0)) })
    }

    /// Records of a model with a mutation that sets `field` so: every mutation of the model is
    /// looked at.
    package func recordsWithMutations(
        of model: String, setting field: String, to value: JSONValue
    ) throws(StoreError) -> [RecordID] {
        try all(
            """
            SELECT DISTINCT id FROM mutation
            WHERE model = ?1 AND CAST("set" ->> ?2 AS TEXT) = CAST(?3 ->> '$' AS TEXT) ORDER BY id
            """,
            { (row) throws(StoreError) in
                try row.bind(1, model)
                try row.bind(2, "$.\"\(field)\"")
                try row.bind(3, json: value)
            }, { (row) throws(StoreError) in RecordID(row.text(0)) })
    }

    private func visitRelated(
        _ relation: Relation, _ record: JSONObject, _ other: Model, _ columns: String,
        _ limit: Int, _ body: (borrowing Statement) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let values = record.values(of: relation.fields) else { return }
        let far = try table(other.name).layout
        var tables = "\(far.quotedTable) AS t1"
        var parts: [String] = []
        var near = (layout: far, alias: "t1")
        if let join = relation.join {
            near = (try table(join).layout, "t2")
            tables = "\(near.layout.quotedTable) AS t2 CROSS JOIN \(tables)"
            for (field, joined) in zip(other.key, relation.joinFields) {
                parts.append(
                    "\(try far.sql(field, "t1")) = \(try near.layout.sql(joined, "t2"))")
            }
        }
        for (index, reference) in relation.references.enumerated() {
            parts.append("\(try near.layout.sql(reference, near.alias)) = ?\(index + 2)")
        }
        let condition = parts.joined(separator: " AND ")
        try stream(
            "SELECT \(columns) FROM \(tables) WHERE \(condition) ORDER BY t1.id LIMIT ?1",
            [.integer(Int64(limit))] + values.map { SQLValue($0, as: .text) }
        ) { (row) throws(StoreError) in
            try body(row)
            return true
        }
    }
}

extension JSONObject {
    /// The values of fields; nil when one of them is null or absent.
    fileprivate func values(of fields: [String]) -> [JSONValue]? {
        var values: [JSONValue] = []
        for field in fields {
            guard let value = self[field], !value.isNull else { return nil }
            values.append(value)
        }
        return values
    }
}

extension ModelLayout {
    func sql(_ field: String, _ alias: String) throws(StoreError) -> String {
        guard let column = column(field) else {
            throw StoreError(.misuse, "\(model) has no field \(field)")
        }
        return "\(alias).\(Self.quoted(column.name))"
    }
}
