internal import CSQLite
internal import JSON

extension Statement {
    @inline(__always)
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func boolean(_ column: Int32) -> Bool { integer(column) != 0 }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The column's text, valid until the next step.
    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    @inline(__always)
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The JSON value in a column; nil for SQL's null.
    func json(_ column: Int32) throws(StoreError) -> JSONValue? {
        // A conditional expression would take `nil` for JSON's null.
        if isNull(column) { return nil }
        return try Self.parse(bytes(column))
    }

    func object(_ column: Int32) throws(StoreError) -> JSONObject? {
        try json(column)?.members
    }

    /// Reads JSON that this store wrote.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(bytes)
        } catch {
            let shown = String(decoding: bytes.prefix(60), as: UTF8.self)
            throw StoreError(
                .illegible, "the store holds JSON that cannot be read: \(error.message): \(shown)",
                hint: "satchel doctor finds where")
        }
    }
}
