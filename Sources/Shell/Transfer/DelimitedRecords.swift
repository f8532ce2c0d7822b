package import JSON
package import Records

/// The rows of a comma- or tab-separated file as records of a model.
///
/// Cells are coerced by the type of the field their column names. A null cell is a null, but for a
/// key field, which it leaves to be made.
package final class DelimitedRecords: RecordReader {
    private enum Column {
        case field(Target)
        /// Takes the id of another record, or null.
        case relation(String)
        case ignored
    }

    /// A class, so that taking it from the list copies nothing.
    private final class Target {
        let field: Field
        let isKey: Bool

        init(_ field: Field, isKey: Bool) {
            self.field = field
            self.isKey = isKey
        }
    }

    private let reader: DelimitedReader
    private let schema: Schema
    private let columns: [Column]

    package var line: Int { reader.line }

    /// Reads the header.
    ///
    /// `map` gives the field of columns that are named otherwise; an empty field leaves a column
    /// out.
    ///
    /// - Throws: Kind `.input` for a column that names no field, or a field named twice.
    package init(
        _ reader: DelimitedReader, model: Model, schema: Schema,
        map: [Pair] = []
    ) throws(ShellError) {
        self.reader = reader
        self.schema = schema
        var columns: [Column] = []
        var taken: [String] = []
        let header = try reader.header() ?? []
        for column in map.map(\.key) where !header.contains(where: { $0.sameBytes(as: column) }) {
            throw ShellError(
                .input, "--map: there is no column \"\(column)\"",
                hint: Suggestion.hint(for: column, among: header), line: 1)
        }
        for name in header {
            let field = map.first { $0.key.sameBytes(as: name) }?.value ?? name
            if field.isEmpty, !name.isEmpty {
                columns.append(.ignored)
                continue
            }
            guard !taken.contains(where: { $0.sameBytes(as: field) }) else {
                throw ShellError(.input, "two columns are named \"\(field)\"", line: 1)
            }
            taken.append(field)
            columns.append(try Self.column(field, of: model))
        }
        self.columns = columns
    }

    package func next() throws(ShellError) -> JSONObject? {
        guard try reader.next() else { return nil }
        var record = JSONObject()
        record.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
            switch column {
            case .ignored: continue
            case .relation(let name):
                record.append(name, try reader.text(index).map { .string($0) } ?? .null)
            case .field(let target):
                if let text = try reader.text(index) {
                    record.append(target.field.name, try coerce(text, target.field))
                } else if !target.isKey {
                    record.append(target.field.name, .null)
                }
            }
        }
        return record
    }

    private func coerce(_ text: String, _ field: Field) throws(ShellError) -> JSONValue {
        do throws(RecordsError) {
            return try field.coerce(text: text, in: schema)
        } catch {
            throw ShellError(.input, error.message, hint: error.hint, line: line)
        }
    }

    private static func column(_ name: String, of model: Model) throws(ShellError) -> Column {
        if let field = model.field(name) {
            return .field(Target(field, isKey: model.key.contains { $0.sameBytes(as: name) }))
        }
        if model.relation(name)?.holdsForeignKey == true { return .relation(name) }
        throw ShellError(
            .input, "\(model.name) has no field \"\(name)\", the name of a column",
            hint: Suggestion.hint(for: name, among: model.fields.map(\.name))
                ?? "--map COLUMN=FIELD names its field, --map COLUMN= leaves it out", line: 1)
    }
}
