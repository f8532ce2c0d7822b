internal import JSON
package import Records

/// The columns of a listing, and what they ask of a record.
package struct Columns: Sendable {
    package let list: [Column]
    /// The fields, by their index in the model, that JSON formats write; nil for the whole record
    /// with what the schema does not know.
    package let fields: [Int]?
    /// `_version` and `_state` are wanted.
    package let hasMeta: Bool

    package init(_ list: [Column], isWhole: Bool = false) {
        self.list = list
        hasMeta = list.contains { $0.source == .state }
        fields =
            isWhole
            ? nil
            : list.compactMap { if case .field(let index) = $0.source { index } else { nil } }
    }

    /// The columns of a listing of records: fields by their index in the model, in the order to
    /// show (nil for all), then included relations by name, then `_version` and `_state` with `meta`.
    package init(
        of model: Model, fields: [Int]? = nil, includes: [String] = [], meta: Bool = false
    ) {
        var list = (fields ?? Array(model.fields.indices)).map { index in
            let field = model.fields[index]
            return Column(
                field.name, .field(index), alignment: field.isNumeric ? .right : .left,
                isSecret: field.isSecret, isKey: model.isKey(field))
        }
        list += includes.enumerated().map { Column($1, .included($0)) }
        if meta { list += [Column("_version", .version), Column("_state", .state)] }
        self.init(list, isWhole: fields == nil)
    }

    /// The columns that `IDRows` wants: the model's key fields.
    package init(keyOf model: Model) {
        self.init(
            model.key.compactMap { name in
                model.fieldIndex(name).map { Column(name, .field($0), isKey: true) }
            })
    }
}

extension Model {
    fileprivate func isKey(_ field: Field) -> Bool { key.contains { $0.sameBytes(as: field.name) } }
}

extension Field {
    fileprivate var isNumeric: Bool {
        guard !isList, case .scalar(let scalar) = type else { return false }
        return scalar == .int || scalar == .float || scalar == .timestamp
    }
}
