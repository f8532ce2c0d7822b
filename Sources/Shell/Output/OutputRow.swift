package import JSON
package import Records

/// What a listing asks of each of its rows: a record of the store, or plain values.
package protocol OutputRow: ~Copyable {
    /// The cell of a column whose source is not `included`.
    func cell(_ source: Column.Source) throws(ShellError) -> JSONValue

    /// Appends the row as one JSON object, its members what `columns` says but for the
    /// `included` ones.
    func appendJSON(_ columns: Columns, to bytes: inout [UInt8]) throws(ShellError)
}

/// A row of plain values, one a column.
package struct ValuesRow: OutputRow {
    package var values: [JSONValue]

    package init(_ values: [JSONValue]) { self.values = values }

    package func cell(_ source: Column.Source) -> JSONValue {
        guard case .value(let index) = source, index < values.count else { return .null }
        return values[index]
    }

    package func appendJSON(_ columns: Columns, to bytes: inout [UInt8]) {
        var object = JSONObject()
        for column in columns.list where !column.isIncluded {
            object.append(column.name, cell(column.source))
        }
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

    package func appendJSON(_ columns: Columns, to bytes: inout [UInt8]) {
        object.write(into: &bytes)
    }

    /// The columns of rows that look like `object`.
    package static func columns(of object: JSONObject) -> [Column] {
        object.keys.enumerated().map { Column($1, .value($0)) }
    }
}

/// A record in hand, such as what `get` found.
package struct RecordRow: OutputRow {
    /// Its fields' names, by their index in the model.
    package var names: [String]
    package var record: JSONObject
    package var version: JSONValue?
    package var state: String

    package init(_ record: JSONObject, of model: Model, version: JSONValue?, state: String) {
        names = model.fields.map(\.name)
        self.record = record
        self.version = version
        self.state = state
    }

    package func cell(_ source: Column.Source) -> JSONValue {
        switch source {
        case .field(let index): record[names[index]] ?? .null
        case .version: version ?? .null
        case .state: .string(state)
        case .included, .value: .null
        }
    }

    package func appendJSON(_ columns: Columns, to bytes: inout [UInt8]) {
        var object = JSONObject()
        object.reserveCapacity(names.count + 2)
        for index in columns.fields ?? Array(names.indices) {
            object.append(names[index], record[names[index]] ?? .null)
        }
        if columns.fields == nil {
            for (key, value) in record.pairs
            where !names.contains(where: { $0.sameBytes(as: key) }) && !key.isPseudoField {
                object.append(key, value)
            }
        }
        if columns.hasMeta {
            object.append("_version", version ?? .null)
            object.append("_state", .string(state))
        }
        object.write(into: &bytes)
    }
}

extension String {
    /// A name that is Satchel's own in what it gives out: a backend's field cannot pose as it.
    var isPseudoField: Bool { self == "_version" || self == "_state" }
}
