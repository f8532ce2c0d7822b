internal import CSQLite
internal import JSON

/// Reads a record from a row of `ModelLayout.selected`: id, version, extra, then the fields.
struct StoredRow: ~Copyable {
    let handle: OpaquePointer
    let layout: ModelLayout

    init(statement: borrowing Statement, layout: ModelLayout) {
        handle = statement.handle
        self.layout = layout
    }

    /// Fields in schema order, nulls present, unknown ones after.
    func record() throws(StoreError) -> JSONObject {
        try Self.record(handle, layout)
    }
}

extension StoredRow {
    private static let firstField: Int32 = 3

    static func record(
        _ handle: OpaquePointer, _ layout: ModelLayout
    ) throws(StoreError) -> JSONObject {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(layout.columns.count + 2)
        var index = firstField
        for column in layout.columns {
            members.append((column.field, try value(handle, index, column.encoding)))
            index += 1
        }
        var record = JSONObject(unchecked: members)
        if let extra = try extra(handle) {
            for (key, value) in extra.pairs { record[key] = value }
        }
        return record
    }

    /// Unknown fields, and values of known ones that their columns cannot hold.
    static func extra(_ handle: OpaquePointer) throws(StoreError) -> JSONObject? {
        guard sqlite3_column_type(handle, 2) != SQLITE_NULL else { return nil }
        return try Statement.parse(bytes(handle, 2)).members
    }

    static func value(
        _ handle: OpaquePointer, _ index: Int32, _ encoding: ModelLayout.Encoding
    ) throws(StoreError) -> JSONValue {
        let type = sqlite3_column_type(handle, index)
        if type == SQLITE_NULL { return .null }
        switch encoding {
        case .text: return .string(String(decoding: bytes(handle, index), as: UTF8.self))
        case .boolean: return .bool(sqlite3_column_int(handle, index) != 0)
        case .json: return try Statement.parse(bytes(handle, index))
        case .number:
            return type == SQLITE_INTEGER
                ? .int(sqlite3_column_int64(handle, index))
                : .double(sqlite3_column_double(handle, index))
        }
    }

    @inline(__always)
    static func bytes(_ handle: OpaquePointer, _ index: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, index)
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, index)))
    }
}
