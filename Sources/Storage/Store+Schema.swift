internal import JSON
internal import Records

// A schema change alters the model tables in place; whoever opens the store brings the queue along
// in the same transaction.
extension Store {
    /// Brings the model tables, and what else holds records, from the stored schema to this one.
    func alterTables() throws(StoreError) {
        let old = try storedLayouts()
        let memory = try schemaMemory()
        let change = SchemaChange(from: memory.known(old), to: schema, gone: memory.gone)
        try renameModels(change)
        let kept = try moveTables(old, change)
        for model in change.models { try carry(model) }
        try setMeta(.layout, ModelLayout.json((tables + kept).map(\.layout)).serialized())
        try setMeta(.schemaHash, schemaHash)
        let remembered = SchemaMemory(
            schema: schema,
            kept: kept.map { table in
                let known = memory.known(old).first { $0.model.name == table.model.name }
                return (known?.schema ?? Schema()).alone(table.model)
            }, gone: change.gone, secret: memory.secrets(after: change))
        try setMeta(.schema, remembered.json(hash: schemaHash).serialized())
        if try quarantineCount() > 0 { try setMeta(.quarantineDue, "1") }
        guard !old.isEmpty, let adopt = options.adopt else { return }
        // What is unsent of a model that left rolls back in its kept table.
        tables += kept
        defer { tables.removeLast(kept.count) }
        parked = try adopt(self, change)
    }

    /// Fields that a model of the schema had in earlier schemas and has no more.
    package func goneFields(of model: String) throws(StoreError) -> [String] {
        try schemaMemory().gone[model] ?? []
    }

    /// Fields of a model that earlier schemas called secret.
    package func formerSecrets(of model: String) throws(StoreError) -> [String] {
        try schemaMemory().secret[model] ?? []
    }

    func schemaMemory() throws(StoreError) -> SchemaMemory {
        guard let hash = try meta(.schemaHash), let text = try meta(.schema) else {
            return SchemaMemory()
        }
        let json = try text.utf8Span.span.withUnsafeBytes { (bytes) throws(StoreError) in
            try Statement.parse(bytes)
        }
        return SchemaMemory(json: json, hash: hash) ?? SchemaMemory()
    }

    func storedLayouts() throws(StoreError) -> [ModelLayout] {
        guard let text = try meta(.layout) else { return [] }
        let json = try text.utf8Span.span.withUnsafeBytes { (bytes) throws(StoreError) in
            try Statement.parse(bytes)
        }
        guard let layouts = ModelLayout.layouts(from: json) else {
            throw StoreError(.damaged, "the store \(path) does not say how its tables lie")
        }
        return layouts
    }
}

// The tables
extension Store {
    /// A table of before that stepped aside, or stayed where it is.
    private struct Former {
        var layout: ModelLayout
        var change: ModelChange
    }

    /// - Returns: The tables of models that left the schema and have unsent work.
    private func moveTables(
        _ old: [ModelLayout], _ change: SchemaChange
    ) throws(StoreError) -> [ModelTable] {
        var kept: [ModelTable] = []
        // Names may change hands between models, so all old ones step aside before new ones come.
        var aside: [String: [Former]] = [:]
        for (number, layout) in old.enumerated() {
            let model = change.models[number]
            guard let table = tables.first(where: { $0.model.name == model.new?.name }) else {
                if let layout = try retire(layout, number) {
                    kept.append(ModelTable(model.old, kept: layout))
                }
                continue
            }
            var former = Former(layout: layout, change: model)
            let isOwn = layout.model.sameBytes(as: table.model.name)
            if !isOwn || !table.layout.extends(layout) {
                former.layout = try rename(layout, to: "_old.\(number)")
            }
            // Its own table comes first: what it holds is kept where two have one record.
            let others = aside[table.model.name] ?? []
            aside[table.model.name] = isOwn ? [former] + others : others + [former]
        }
        for table in tables { try bring(aside[table.model.name] ?? [], to: table) }
        return kept
    }

    private func bring(_ formers: [Former], to table: ModelTable) throws(StoreError) {
        let new = table.layout
        let main = formers.first
        if let main, main.layout.table == new.table {
            let old = main.layout
            for column in new.columns where old.column(column.field) == nil {
                try connection.execute(
                    "ALTER TABLE \(new.quotedTable) ADD COLUMN \(ModelLayout.quoted(column.name)) "
                        + column.encoding.declaration)
            }
            if main.change.altersRecords {
                try copy(from: new, "WHERE id > ?", to: table, main.change)
            } else if new.columns.count > old.columns.count {
                try copy(from: new, "WHERE _extra IS NOT NULL AND id > ?", to: table, main.change)
            }
        } else {
            try connection.execute(new.createTable)
        }
        for former in formers where former.layout.table != new.table {
            let isMain = former.layout.model.sameBytes(as: main?.layout.model ?? "")
            try copy(
                from: former.layout, "WHERE id > ?", to: table, former.change,
                as: isMain ? .put : .insert)
            try connection.execute("DROP TABLE \(former.layout.quotedTable)")
        }
        try bringIndexes(of: new)
    }

    /// Rewrites records by way of JSON, which knows no columns.
    private func copy(
        from old: ModelLayout, _ condition: String, to table: ModelTable, _ change: ModelChange,
        as purpose: ModelTable.Purpose = .put
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
            for row in page {
                try put(
                    row.id, change.carried(record: row.record, in: schema), version: row.version,
                    in: table, as: purpose)
            }
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
        if try hasMutations(of: layout.model) {
            return try rename(layout, to: "_kept.\(number).\(layout.model)")
        }
        try connection.execute("DROP TABLE \(layout.quotedTable)")
        try deleteCursor(layout.model)
        try clearSeen(layout.model)
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
}

extension ModelLayout {
    /// True when `old` becomes this layout by more columns alone.
    fileprivate func extends(_ old: ModelLayout) -> Bool {
        table == old.table && old.columns.allSatisfy { column($0.field) == $0 }
    }
}
