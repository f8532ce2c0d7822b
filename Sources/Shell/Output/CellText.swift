internal import JSON

/// What a cell says to a person.
enum CellText {
    case none
    case text(String)
    /// A number or truth value: JSON's spelling is plain text.
    case value(JSONValue)

    init<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, _ column: Column, _ included: [JSONValue]
    ) throws(ShellError) {
        if case .included(let place) = column.source {
            self = CellText(related: place < included.count ? included[place] : .null)
            return
        }
        self = CellText(try row.cell(column.source))
        if column.isSecret, case .none = self { return }
        if column.isSecret { self = .text("••••") }
    }

    private init(_ value: JSONValue) {
        switch value {
        case .null: self = .none
        case .string(let text): self = .text(text)
        case .array, .object: self = .text(value.serialized())
        default: self = .value(value)
        }
    }

    /// A related record by its label, several by their number.
    private init(related: JSONValue) {
        switch related {
        case .object(let record): self = CellText(Self.label(of: record))
        case .array(let records): self = .value(.int(Int64(records.count)))
        default: self = CellText(related)
        }
    }

    /// What people know a record by: a name or title if it has one, else its first text.
    static func label(of record: JSONObject) -> JSONValue {
        for key in ["name", "title", "label", "subject", "email"] {
            if case .string(let text)? = record[key], !text.isEmpty { return .string(text) }
        }
        return record.pairs.first { $0.value.text != nil }?.value ?? .object(record)
    }

    /// The text as it is; nil for a null.
    var plain: String? {
        switch self {
        case .none: nil
        case .text(let text): text
        case .value(let value): value.serialized()
        }
    }
}
