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

    /// What a table loses with it: where not all have room, the lightest are left out first.
    package enum Weight: Int, Sendable, Comparable {
        case light, usual
        /// The point of the table.
        case telling

        package static func < (one: Weight, other: Weight) -> Bool {
            one.rawValue < other.rawValue
        }
    }

    package var name: String
    package var source: Source
    package var alignment: Alignment
    /// Masked in formats for people.
    package var isSecret: Bool
    /// Cut last when a table is too wide: an id is there to be copied.
    package var isKey: Bool
    /// Cut first, in its middle: an id that another column is the handle for.
    package var isElided: Bool
    package var weight: Weight

    package init(
        _ name: String, _ source: Source, alignment: Alignment = .left, isSecret: Bool = false,
        isKey: Bool = false, isElided: Bool = false, weight: Weight = .usual
    ) {
        self.name = name
        self.source = source
        self.alignment = alignment
        self.isSecret = isSecret
        self.isKey = isKey
        self.isElided = isElided
        self.weight = isKey ? .telling : weight
    }
}

extension Column {
    var isIncluded: Bool { if case .included = source { true } else { false } }

    /// Columns of plain values; names that end in `>` are numbers, shown at the right.
    package static func values(_ names: String...) -> [Column] {
        names.enumerated().map { index, name in
            name.hasSuffix(">")
                ? Column(String(name.dropLast()), .value(index), alignment: .right)
                : Column(name, .value(index))
        }
    }
}
