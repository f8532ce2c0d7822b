package import JSON

/// What a listing asks of each of its rows: a record of the store, or plain values.
package protocol OutputRow: ~Copyable {
    /// The cell of a column whose source is not `included`.
    func cell(_ source: Column.Source) -> JSONValue

    /// Appends the row as one JSON object, its members those of `columns` in their order, without
    /// the `included` ones.
    func appendJSON(_ columns: [Column], to bytes: inout [UInt8])
}

/// A row of plain values, one a column.
package struct ValuesRow: OutputRow {
    package var values: [JSONValue]

    package init(_ values: [JSONValue]) { self.values = values }

    package func cell(_ source: Column.Source) -> JSONValue {
        guard case .value(let index) = source, index < values.count else { return .null }
        return values[index]
    }

    package func appendJSON(_ columns: [Column], to bytes: inout [UInt8]) {
        var object = JSONObject()
        for column in columns { object.append(column.name, cell(column.source)) }
        object.write(into: &bytes)
    }
}

/// A row that is an object already: its JSON is the object's, its cells its members.
package struct ObjectRow: OutputRow {
    package var object: JSONObject

    package init(_ object: JSONObject) { self.object = object }

    package func cell(_ source: Column.Source) -> JSONValue {
        guard case .value(let index) = source, index < object.count else { return .null }
        return object.pairs[index].value
    }

    package func appendJSON(_ columns: [Column], to bytes: inout [UInt8]) {
        object.write(into: &bytes)
    }

    /// The columns of rows that look like `object`.
    package static func columns(of object: JSONObject) -> [Column] {
        object.keys.enumerated().map { Column($1, .value($0)) }
    }
}
