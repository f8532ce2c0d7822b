internal import JSON

/// Values that a column is looked for among.
///
/// SQLite compares every parameter of a statement with every other one, so many of them go in as one:
/// a JSON array of whole numbers and texts. A real goes by its bits, for its digits could be read back
/// as a neighbour; what JSON functions would cut goes by itself.
struct ValueList {
    private var plain: [JSONValue] = []
    private var reals: [JSONValue] = []
    private var single: [SQLValue] = []

    /// As many as this, parameters are quicker.
    static let few = 32

    init(_ values: [SQLValue]) {
        guard values.count > Self.few else {
            single = values
            return
        }
        for value in values {
            switch value {
            case .integer(let number): plain.append(.int(number))
            case .real(let number): reals.append(.int(Int64(bitPattern: number.bitPattern)))
            case .text(let text) where !text.utf8.contains(0): plain.append(.string(text))
            case .bytes(let bytes) where !bytes.contains(0):
                if let text = String(validating: bytes, as: UTF8.self) {
                    plain.append(.string(text))
                } else {
                    single.append(value)
                }
            case .null, .text, .bytes: single.append(value)
            }
        }
    }

    /// What to write after `IN`, at least one; each holds a part of the values.
    func sets(_ bind: (SQLValue) -> String) -> [String] {
        var sets: [String] = []
        for (values, column) in [(plain, "+value"), (reals, "satchel_real(value)")]
        where !values.isEmpty {
            let array = bind(.text(JSONValue.array(values).serialized()))
            sets.append("(SELECT \(column) FROM json_each(\(array)))")
        }
        if !single.isEmpty {
            sets.append("(\(single.map(bind).joined(separator: ", ")))")
        }
        return sets
    }
}
