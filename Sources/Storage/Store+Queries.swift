package import Records

extension Store {
    /// How many records match; sort does not matter, limit and offset do.
    package func count(_ query: Query) throws(StoreError) -> Int {
        var sql = FilterSQL(schema: schema, tables: tables)
        let (model, table) = try target(of: query)
        let condition = try sql.whereClause(query.filter, model)
        var text = "SELECT count(*) FROM \(table.layout.quotedTable) AS t0\(condition)"
        if query.limit != nil || query.offset > 0 {
            let page = sql.pageClause(query)
            text = """
                SELECT count(*) FROM (
                    SELECT 1 FROM \(table.layout.quotedTable) AS t0\(condition)\(page))
                """
        }
        var count = 0
        try stream(text, sql.values) { (row) throws(StoreError) in
            count = Int(row.integer(0))
            return false
        }
        return count
    }

    /// Passes the matching records to `body`, one at a time and in constant memory, until there
    /// are none or it answers false.
    ///
    /// The rows are one snapshot. `body` may read from the store; what it writes may or may not
    /// be met by the rows that follow.
    ///
    /// `fields` are the only ones that `body` may ask of a row, by their place in the model; nil
    /// for all.
    package func forEach(
        _ query: Query, fields: [Int]? = nil,
        _ body: (borrowing Row) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var sql = FilterSQL(schema: schema, tables: tables)
        let (model, table) = try target(of: query)
        let columns = table.layout.selected(fields, from: "t0")
        let rest = try sql.clauses(query, model)
        let context = RowContext(store: self, table: table, model: model, fields: fields)
        try stream(
            "SELECT \(columns) FROM \(table.layout.quotedTable) AS t0\(rest)", sql.values
        ) { (statement) throws(StoreError) in
            try body(Row(handle: statement.handle, context: context))
        }
    }

    package func ids(_ query: Query, limit: Int = .max) throws(StoreError) -> [RecordID] {
        let (model, table) = try target(of: query)
        var query = query
        if limit < query.limit ?? .max { query.limit = limit }
        if query.filter == nil, query.sort.isEmpty, query.offset == 0 {
            return try allIDs(table, limit: query.limit ?? .max)
        }
        var sql = FilterSQL(schema: schema, tables: tables)
        let rest = try sql.clauses(query, model)
        var ids: [RecordID] = []
        try stream(
            "SELECT t0.id FROM \(table.layout.quotedTable) AS t0\(rest)", sql.values
        ) { (row) throws(StoreError) in
            ids.append(RecordID(row.text(0)))
            return true
        }
        return ids
    }

    private func allIDs(_ table: ModelTable, limit: Int) throws(StoreError) -> [RecordID] {
        let cached = try prepared(.ids, of: table)
        busy.beginQuery(of: connection)
        defer { busy.endQuery(of: connection) }
        var ids: [RecordID] = []
        try each(
            cached, { (row) throws(StoreError) in try row.bind(1, Int64(limit)) },
            { (row) throws(StoreError) in
                ids.append(RecordID(row.text(0)))
                return true
            })
        return ids
    }

    /// The ids that begin with `prefix`, in order.
    package func ids(
        _ model: Model, prefix: String, limit: Int
    ) throws(StoreError) -> [RecordID] {
        let table = try table(model.name).layout.quotedTable
        var values: [SQLValue] = [.text(prefix), .integer(Int64(limit))]
        var upper = ""
        if let end = Array(prefix.utf8).rangeEnd {
            values.append(.bytes(end))
            upper = "AND id < ?3"
        }
        var ids: [RecordID] = []
        try stream(
            "SELECT id FROM \(table) WHERE id >= ?1 \(upper) ORDER BY id LIMIT ?2", values
        ) { (row) throws(StoreError) in
            ids.append(RecordID(row.text(0)))
            return true
        }
        return ids
    }

    /// True when the record is in view and passes the filter.
    package func matches(_ key: RecordKey, filter: Filter) throws(StoreError) -> Bool {
        var sql = FilterSQL(schema: schema, tables: tables)
        let (model, table) = try target(of: Query(model: key.model))
        let condition = try sql.condition(filter, model, "t0")
        let id = sql.bind(.text(key.id.text))
        var found = false
        try stream(
            "SELECT 1 FROM \(table.layout.quotedTable) AS t0 WHERE t0.id = \(id) AND \(condition)",
            sql.values
        ) { _ in
            found = true
            return false
        }
        return found
    }

    private func target(of query: Query) throws(StoreError) -> (Model, ModelTable) {
        guard let model = schema.model(query.model) else {
            throw StoreError(.misuse, "the schema has no model \(query.model)")
        }
        return (model, try table(model.name))
    }

    /// Runs generated SQL; the user may interrupt it.
    func stream(
        _ sql: String, _ values: [SQLValue],
        _ body: (borrowing Statement) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let prepared = try prepare(sql)
        busy.beginQuery(of: connection)
        defer { busy.endQuery(of: connection) }
        try each(
            prepared,
            { (row) throws(StoreError) in
                for (index, value) in values.enumerated() { try row.bind(Int32(index + 1), value) }
            }, body)
    }
}

extension Statement {
    func bind(_ index: Int32, _ value: SQLValue) throws(StoreError) {
        switch value {
        case .null: try bindNull(index)
        case .integer(let number): try bind(index, number)
        case .real(let number): try bind(index, number)
        case .text(let text): try bind(index, text)
        case .bytes(let bytes): try bind(index, bytes)
        }
    }
}

extension FilterSQL {
    fileprivate mutating func clauses(
        _ query: Query, _ model: Model
    ) throws(StoreError) -> String {
        try whereClause(query.filter, model) + (try orderClause(query.sort, model))
            + pageClause(query)
    }

    fileprivate mutating func whereClause(
        _ filter: Filter?, _ model: Model
    ) throws(StoreError) -> String {
        guard let filter else { return "" }
        return " WHERE \(try condition(filter, model, "t0"))"
    }

    /// Nulls last whichever way, ties by id.
    private mutating func orderClause(
        _ sort: [SortKey], _ model: Model
    ) throws(StoreError) -> String {
        var keys: [String] = []
        for key in sort {
            guard let operand = try operand(key.path, model, "t0") else {
                throw StoreError(.misuse, "records cannot be sorted by a list of \(key.path.field)")
            }
            keys.append("\(operand.sortable) \(key.descending ? "DESC" : "ASC") NULLS LAST")
        }
        return " ORDER BY " + (keys + ["t0.id"]).joined(separator: ", ")
    }

    fileprivate mutating func pageClause(_ query: Query) -> String {
        guard query.limit != nil || query.offset > 0 else { return "" }
        let limit = bind(.integer(query.limit.map(Int64.init) ?? -1))
        return " LIMIT \(limit) OFFSET \(bind(.integer(Int64(query.offset))))"
    }
}

extension FilterSQL.Operand {
    fileprivate var sortable: String {
        kind == .version ? "json_extract(\(sql), '$')" : comparable
    }
}
