internal import CSQLite
package import JSON
package import Records

/// A record that a query met, readable until the next one is.
package struct Row: ~Copyable {
    let handle: OpaquePointer
    let context: RowContext

    package var id: RecordID {
        RecordID(String(decoding: StoredRow.bytes(handle, 0), as: UTF8.self))
    }

    package func version() throws(StoreError) -> JSONValue? {
        guard sqlite3_column_type(handle, 1) != SQLITE_NULL else { return nil }
        return try Statement.parse(StoredRow.bytes(handle, 1))
    }

    /// One of `synced`, `pending`, `conflict`, `rejected`.
    package func state() throws(StoreError) -> String { try context.state(of: handle) }

    /// The value of the field at a place in the model.
    package func value(at field: Int) throws(StoreError) -> JSONValue {
        let column = context.layout.columns[field]
        if let value = try StoredRow.extra(handle)?[column.field] { return value }
        return try StoredRow.value(handle, context.position(of: field), column.encoding)
    }

    /// The whole record; the query must have asked for every field.
    package func record() throws(StoreError) -> JSONObject {
        try StoredRow.record(handle, context.layout)
    }
}

/// What the rows of one query have in common.
final class RowContext {
    let layout: ModelLayout
    let model: String
    /// Where in the row each field is; nil when all are, in their order.
    private let positions: [Int32]?
    private let store: Store
    /// Nil until somebody asks: false spares a look-up a row.
    private var hasMutations: Bool?
    /// `"name":` of each field.
    let labels: [[UInt8]]

    init(store: Store, table: ModelTable, model: Model, fields: [Int]?) {
        self.store = store
        self.model = model.name
        layout = table.layout
        labels = table.labels
        positions = fields.map { fields in
            var positions = [Int32](repeating: -1, count: table.layout.columns.count)
            for (offset, field) in fields.enumerated() { positions[field] = Int32(offset) + 3 }
            return positions
        }
    }

    @inline(__always)
    func position(of field: Int) -> Int32 {
        guard let positions else { return Int32(field) + 3 }
        precondition(positions[field] >= 0, "the query did not ask for this field")
        return positions[field]
    }

    func state(of handle: OpaquePointer) throws(StoreError) -> String {
        if hasMutations == nil { hasMutations = try store.hasMutations(of: model) }
        guard hasMutations == true else { return "synced" }
        return try store.state(of: model, id: StoredRow.bytes(handle, 0))
    }
}
