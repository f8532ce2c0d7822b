package import JSON
package import Records

/// A record as it is in view, and the backend's version it stands on.
package struct StoredRecord: Sendable, Equatable {
    /// Fields in schema order, nulls present, unknown fields after.
    package var record: JSONObject
    /// Nil while the backend does not have the record.
    package var version: JSONValue?

    package init(record: JSONObject, version: JSONValue?) {
        self.record = record
        self.version = version
    }
}

extension Store {
    package func record(_ model: Model, _ id: RecordID) throws(StoreError) -> StoredRecord? {
        let table = try table(model.name)
        return try first(
            prepared(.read, of: table),
            { (row) throws(StoreError) in try row.bind(1, id.text) },
            { (row) throws(StoreError) in
                StoredRecord(
                    record: try StoredRow.record(row.handle, table.layout),
                    version: try row.json(1))
            })
    }

    package func recordExists(_ model: Model, _ id: RecordID) throws(StoreError) -> Bool {
        try first(
            prepared(.exists, of: table(model.name)),
            { (row) throws(StoreError) in try row.bind(1, id.text) }, { _ in true }) ?? false
    }

    /// Makes `record` the record in view; fields it lacks become null.
    package func putRecord(
        _ model: Model, _ id: RecordID, _ record: JSONObject, version: JSONValue?
    ) throws(StoreError) {
        try put(id, record, version: version, in: table(model.name))
    }

    /// Adds a record that is not there yet.
    ///
    /// - Returns: False when there is one of that id: it stays as it is.
    package func insertRecord(
        _ model: Model, _ id: RecordID, _ record: JSONObject, version: JSONValue?
    ) throws(StoreError) -> Bool {
        try put(id, record, version: version, in: table(model.name), as: .insert)
        return connection.changes == 1
    }

    package func removeRecord(_ model: Model, _ id: RecordID) throws(StoreError) {
        try run(prepared(.remove, of: table(model.name))) {
            (row) in
            row.bind(1, id.text)
        }
    }

    func table(_ model: String) throws(StoreError) -> ModelTable {
        for table in tables where table.model.name == model { return table }
        throw StoreError(.misuse, "the store has no model \(model)")
    }

    func put(
        _ id: RecordID, _ record: JSONObject, version: JSONValue?, in table: ModelTable,
        as purpose: ModelTable.Purpose = .put
    ) throws(StoreError) {
        try run(prepared(purpose, of: table)) { (row) in
            row.bind(1, id.text)
            row.bind(2, json: version)
            row.bind(record, of: table.layout, id: id)
        }
    }
}

extension Parameters {
    /// Binds `_extra` at 3 and the fields from 4 on.
    fileprivate mutating func bind(_ record: JSONObject, of layout: ModelLayout, id: RecordID) {
        var extra = JSONObject()
        var found = 0
        var parameter: Int32 = 4
        for position in layout.columns.indices {
            let value = record.value(layout.columns[position].field, expectedAt: position)
            if value != nil { found += 1 }
            if layout.columns[position].isID {
                if let value, !value.isNull, !value.isText(id.text) {
                    extra.append(layout.columns[position].field, value)
                }
                continue
            }
            if let value {
                if !bind(parameter, value, as: layout.columns[position].encoding) {
                    extra.append(layout.columns[position].field, value)
                }
            } else {
                bindNull(parameter)
            }
            parameter += 1
        }
        if found < record.count {
            for (key, value) in record.pairs where layout.column(key) == nil {
                extra.append(key, value)
            }
        }
        bind(3, json: extra.isEmpty ? nil : extra)
    }

    /// Binds a field's value.
    ///
    /// - Returns: False when the column cannot give it back as it is: null, or what is nearest to
    ///   it, is bound then.
    private mutating func bind(
        _ index: Int32, _ value: JSONValue, as encoding: ModelLayout.Encoding
    ) -> Bool {
        switch (encoding, value) {
        case (.text, .string(let text)): bind(index, text)
        case (.number, .int(let number)): bind(index, number)
        case (.number, .double(let number)): bind(index, number)
        case (.number, .big(let digits)):
            // Filters and sorts are content with what a real can hold of it.
            if let near = Double(digits), near.isFinite {
                bind(index, near)
            } else {
                bindNull(index)
            }
            return false
        case (.boolean, .bool(let flag)): bind(index, flag)
        case (.json, .array), (.json, .object): bind(index, json: value)
        default:
            bindNull(index)
            return value.isNull
        }
        return true
    }
}

extension JSONValue {
    fileprivate func isText(_ other: String) -> Bool {
        if case .string(let text) = self { text.sameBytes(as: other) } else { false }
    }
}

extension JSONObject {
    /// The member `key`, looked for first where records in schema order have it.
    fileprivate func value(_ key: String, expectedAt position: Int) -> JSONValue? {
        if position < count, pairs[position].key == key, pairs[position].key.sameBytes(as: key) {
            return pairs[position].value
        }
        return self[key]
    }
}
