internal import JSON
package import Records

/// One column of a listing: its name, and where its cells come from.
package struct Column: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
        /// A field of the row's model, by its index there.
        case field(Int)
        case version
        /// `synced`, `pending`, `conflict` or `rejected`.
        case state
        /// A relation that `include` asked for, by its place among those.
        case included(Int)
        /// A cell of a row of plain values.
        case value(Int)
    }

    package enum Alignment: Sendable { case left, right }

    package var name: String
    package var source: Source
    package var alignment: Alignment
    /// Masked in formats for people.
    package var isSecret: Bool
    /// Cut last when a table is too wide: an id is there to be copied.
    package var isKey: Bool

    package init(
        _ name: String, _ source: Source, alignment: Alignment = .left, isSecret: Bool = false,
        isKey: Bool = false
    ) {
        self.name = name
        self.source = source
        self.alignment = alignment
        self.isSecret = isSecret
        self.isKey = isKey
    }
}

extension Column {
    package var isIncluded: Bool { if case .included = source { true } else { false } }

    /// The columns of a listing of records: fields by their index in the model, in the order to
    /// show (nil for all), then included relations by name, then `_version` and `_state` with `meta`.
    package static func columns(
        of model: Model, fields: [Int]? = nil, includes: [String] = [], meta: Bool = false
    ) -> [Column] {
        var columns = (fields ?? Array(model.fields.indices)).map { index in
            let field = model.fields[index]
            return Column(
                field.name, .field(index), alignment: field.isNumeric ? .right : .left,
                isSecret: field.isSecret, isKey: model.key.contains { $0.sameBytes(as: field.name) }
            )
        }
        columns += includes.enumerated().map { Column($1, .included($0)) }
        if meta { columns += [Column("_version", .version), Column("_state", .state)] }
        return columns
    }

    /// The columns that `IDRows` wants: the model's key fields.
    package static func key(of model: Model) -> [Column] {
        model.key.compactMap { name in
            model.fieldIndex(name).map { Column(name, .field($0), isKey: true) }
        }
    }

    /// Columns of plain values; names that end in `>` are numbers, shown at the right.
    package static func values(_ names: String...) -> [Column] {
        names.enumerated().map { index, name in
            name.hasSuffix(">")
                ? Column(String(name.dropLast()), .value(index), alignment: .right)
                : Column(name, .value(index))
        }
    }
}

extension Field {
    fileprivate var isNumeric: Bool {
        guard !isList, case .scalar(let scalar) = type else { return false }
        return scalar == .int || scalar == .float || scalar == .timestamp
    }
}
