extension Store {
    /// Runs a statement that answers no rows.
    ///
    /// Its prepared form is kept by the literal's address, and its values stay bound: `bind` must
    /// bind every parameter.
    @inline(__always)
    func run(
        _ sql: StaticString, _ bind: (inout Parameters) -> Void = { _ in }
    ) throws(StoreError) {
        try run(try prepared(sql), bind)
    }

    @inline(__always)
    func run(
        _ cached: CachedStatement, _ bind: (inout Parameters) -> Void
    ) throws(StoreError) {
        if let faults = options.faults { try faults(.statement) }
        do throws(StoreError) {
            parameters.begin(cached.statement)
            bind(&parameters)
            try parameters.run(cached.statement)
        } catch {
            throw explained(error)
        }
    }

    @inline(__always)
    func first<T>(
        _ sql: StaticString, _ read: (borrowing Statement) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        try first(try prepared(sql), { _ in }, read)
    }

    /// Reads the first row of a statement's answer; nil when there is none.
    @inline(__always)
    func first<T>(
        _ sql: StaticString,
        _ bind: (borrowing Statement) throws(StoreError) -> Void,
        _ read: (borrowing Statement) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        try first(try prepared(sql), bind, read)
    }

    @inline(__always)
    func first<T>(
        _ cached: CachedStatement, _ bind: (borrowing Statement) throws(StoreError) -> Void,
        _ read: (borrowing Statement) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        if let faults = options.faults { try faults(.statement) }
        cached.isBusy = true
        defer {
            cached.statement.reset()
            cached.isBusy = false
        }
        try bind(cached.statement)
        do throws(StoreError) {
            return try cached.statement.step() ? try read(cached.statement) : nil
        } catch {
            throw explained(error)
        }
    }

    func all<T>(
        _ sql: StaticString, _ read: (borrowing Statement) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        try all(sql, { _ in }, read)
    }

    /// Reads every row of a statement's answer.
    func all<T>(
        _ sql: StaticString,
        _ bind: (borrowing Statement) throws(StoreError) -> Void,
        _ read: (borrowing Statement) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let cached = try prepared(sql)
        var rows: [T] = []
        try each(cached, bind) { (row) throws(StoreError) in
            rows.append(try read(row))
            return true
        }
        return rows
    }

    /// Passes rows to `body` until there are none or it answers false.
    func each(
        _ cached: CachedStatement, _ bind: (borrowing Statement) throws(StoreError) -> Void,
        _ body: (borrowing Statement) throws(StoreError) -> Bool
    ) throws(StoreError) {
        if let faults = options.faults { try faults(.statement) }
        cached.isBusy = true
        defer {
            cached.statement.reset()
            cached.isBusy = false
        }
        try bind(cached.statement)
        do throws(StoreError) {
            while try cached.statement.step() {
                if try !body(cached.statement) { return }
            }
        } catch {
            throw explained(error)
        }
    }

    /// The kept form of a literal.
    @inline(__always)
    func prepared(_ sql: StaticString) throws(StoreError) -> CachedStatement {
        if let idle = statements.idle(sql) { return idle }
        return statements.keep(try prepare(sql.description, isKept: true), for: sql)
    }

    /// The kept form of one of a model's statements.
    @inline(__always)
    func prepared(
        _ purpose: ModelTable.Purpose, of table: ModelTable
    ) throws(StoreError) -> CachedStatement {
        if let idle = table.idle(purpose) { return idle }
        return table.keep(try prepare(try table.sql(purpose), isKept: true), for: purpose)
    }

    func prepare(_ sql: String, isKept: Bool = false) throws(StoreError) -> CachedStatement {
        do throws(StoreError) {
            return CachedStatement(try connection.prepare(sql, isKept: isKept))
        } catch {
            throw explained(error)
        }
    }

    /// Says more where SQLite cannot know: who ended a wait, who changed the tables.
    func explained(_ error: StoreError) -> StoreError {
        switch error.kind {
        case .busy where busy.wasInterrupted:
            return StoreError(.interrupted, "interrupted while another process wrote to the store")
        case .misuse where isSchemaForeign: return schemaChanged
        default: return error
        }
    }
}
