internal import JSON
internal import Records

// A schema change alters the model tables in place. The queue is never touched: its mutations
// name models and fields, not tables and columns.
extension Store {
    /// Brings the model tables from the stored layout to the schema's.
    func alterTables() throws(StoreError) {
        let old = try storedLayouts()
        var kept: [ModelLayout] = []
        // Names may change hands between models, so all old ones step aside before new ones come.
        var aside: [String: ModelLayout] = [:]
        for (number, layout) in old.enumerated() {
            guard let new = tables.first(where: { $0.model.name.sameBytes(as: layout.model) })
            else {
                if let layout = try retire(layout, number) { kept.append(layout) }
                continue
            }
            if new.layout.extends(layout) {
                aside[layout.model] = layout
            } else {
                aside[layout.model] = try rename(layout, to: "_old.\(number)")
            }
        }
        for table in tables {
            try bring(aside[table.model.name], to: table)
        }
        try setMeta("layout", ModelLayout.json(tables.map(\.layout) + kept).serialized())
        try setMeta("schema_hash", schemaHash)
    }

    private func bring(_ old: ModelLayout?, to table: ModelTable) throws(StoreError) {
        let new = table.layout
        guard let old else {
            try connection.execute(new.createTable)
            return try bringIndexes(of: new)
        }
        if old.table == new.table {
            for column in new.columns where old.column(column.field) == nil {
                try connection.execute(
                    "ALTER TABLE \(new.quotedTable) ADD COLUMN \(ModelLayout.quoted(column.name)) "
                        + column.encoding.declaration)
            }
            if new.columns.count > old.columns.count {
                try copy(from: new, "WHERE _extra IS NOT NULL AND id > ?", to: table)
            }
        } else {
            try connection.execute(new.createTable)
            try copy(from: old, "WHERE id > ?", to: table)
            try connection.execute("DROP TABLE \(old.quotedTable)")
        }
        try bringIndexes(of: new)
    }

    /// Rewrites records by way of JSON, which knows no columns.
    private func copy(
        from old: ModelLayout, _ condition: String, to table: ModelTable
    ) throws(StoreError) {
        let source = try connection.prepare(
            "SELECT \(old.selected()) FROM \(old.quotedTable) \(condition) ORDER BY id LIMIT 256",
            isKept: true)
        var last = ""
        while true {
            var page: [(id: RecordID, record: JSONObject, version: JSONValue?)] = []
            try source.bind(1, last)
            while try source.step() {
                let row = StoredRow(statement: source, layout: old)
                page.append((RecordID(source.text(0)), try row.record(), try source.json(1)))
            }
            source.reset()
            guard let end = page.last else { return }
            last = end.id.text
            for row in page { try put(row.id, row.record, version: row.version, in: table) }
        }
    }

    private func bringIndexes(of layout: ModelLayout) throws(StoreError) {
        let statement = try connection.prepare(
            """
            SELECT name FROM sqlite_master
            WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE AND sql IS NOT NULL
            """, isKept: false)
        try statement.bind(1, layout.table)
        var present: [String] = []
        while try statement.step() { present.append(statement.text(0)) }
        statement.reset()
        let wanted = layout.createIndexes
        for name in present where !wanted.contains(where: { $0.name.sameBytes(as: name) }) {
            try connection.execute("DROP INDEX \(ModelLayout.quoted(name))")
        }
        for index in wanted where !present.contains(where: { $0.sameBytes(as: index.name) }) {
            try connection.execute(index.sql)
        }
    }

    /// Drops the table of a model that left the schema, unless unsent work needs it.
    ///
    /// - Returns: Where it is kept; nil when it was dropped.
    private func retire(
        _ layout: ModelLayout, _ number: Int
    ) throws(StoreError) -> ModelLayout? {
        let model = layout.model
        if try first(
            "SELECT 1 FROM mutation WHERE model = ? LIMIT 1",
            { (row) throws(StoreError) in try row.bind(1, model) }, { _ in true }) == true
        {
            return try rename(layout, to: "_kept.\(number).\(model)")
        }
        try connection.execute("DROP TABLE \(layout.quotedTable)")
        try deleteCursor(model)
        try clearSeen(model)
        return nil
    }

    private func rename(
        _ layout: ModelLayout, to name: String
    ) throws(StoreError) -> ModelLayout {
        var renamed = layout
        renamed.table = name
        if layout.table != name {
            try connection.execute(
                "ALTER TABLE \(layout.quotedTable) RENAME TO \(renamed.quotedTable)")
        }
        // Indexes keep their names, which the new table wants for its own.
        var bare = renamed
        bare.indexes = []
        try bringIndexes(of: bare)
        return renamed
    }

    private func storedLayouts() throws(StoreError) -> [ModelLayout] {
        guard let text = try meta("layout") else { return [] }
        let json = try text.utf8Span.span.withUnsafeBytes { (bytes) throws(StoreError) in
            try Statement.parse(bytes)
        }
        guard let layouts = ModelLayout.layouts(from: json) else {
            throw StoreError(.damaged, "the store \(path) does not say how its tables lie")
        }
        return layouts
    }
}

extension ModelLayout {
    /// True when `old` becomes this layout by more columns alone.
    fileprivate func extends(_ old: ModelLayout) -> Bool {
        table == old.table && old.columns.allSatisfy { column($0.field) == $0 }
    }
}
