package import JSON
package import Records

/// A record that both sides changed, as `conflicts` lists and shows it.
package struct ConflictView: Listed, Sendable {
    package enum Kind: String, Sendable {
        case field
        /// Edited here, deleted there.
        case editDelete = "edit-delete"
        case deleteEdit = "delete-edit"
    }

    package struct FieldView: Sendable {
        package var field: String
        package var base: JSONValue
        package var local: JSONValue
        package var remote: JSONValue

        package init(field: String, base: JSONValue, local: JSONValue, remote: JSONValue) {
            self.field = field
            self.base = base
            self.local = local
            self.remote = remote
        }
    }

    package var key: RecordKey
    package var fields: [FieldView]
    package var kind: Kind
    /// Why nobody decided it, such as what the program of its merge policy said.
    package var reason: String?

    package init(_ key: RecordKey, fields: [FieldView], kind: Kind, reason: String? = nil) {
        self.key = key
        self.fields = fields
        self.kind = kind
        self.reason = reason
    }

    package static let keys = ["model", "id", "fields", "kind", "reason"]

    package var values: [JSONValue] {
        [
            .string(key.model), .string(key.id.text),
            .array(
                fields.map {
                    [
                        "field": .string($0.field), "base": $0.base, "local": $0.local,
                        "remote": $0.remote,
                    ]
                }), .string(kind.rawValue), reason.map(JSONValue.string) ?? .null,
        ]
    }

    package static let columns = [
        Column("model", .value(0)), Column("id", .value(1), isKey: true),
        Column("kind", .value(2), weight: .light), Column("fields", .value(3)),
        Column("reason", .value(4), weight: .telling),
    ]

    package var cells: [JSONValue] {
        [
            .string(key.model), .string(key.id.text), .string(kind.rawValue),
            .string(fields.map(\.field).joined(separator: ", ")),
            reason.map { .string(Sanitizer.show($0)) } ?? .null,
        ]
    }

    package var handle: JSONValue { .string(key.id.text) }
}

extension ConflictView {
    private static let sides = Column.values("field", "base", "local", "remote")

    /// Writes what `conflicts show` gives.
    ///
    /// On a terminal the sides stand beside each other, with what ends the conflict below; elsewhere
    /// it is the list's object. The values of `secrets` are masked.
    package func show(
        _ listing: Listing, secrets: Set<String> = [], to sink: any ByteSink
    ) throws(ShellError) {
        if listing.format == .tsv {
            var rows = listing.rows(to: sink)
            try rows.begin(Self.sides)
            for field in fields {
                try rows.row(
                    ValuesRow([.string(field.field), field.base] + sides(of: field)))
            }
            return try rows.end()
        }
        guard listing.format == .table else {
            var single = listing
            single.isSingle = true
            return try single.write([self], to: sink)
        }
        var spool = Spool(sink)
        let style = listing.style
        let name = "\(key.model) \(Sanitizer.show(key.id.text))"
        spool.bytes.append(contentsOf: "\(style(.bold, name)): \(explanation)\n".utf8)
        try spool.drain()
        var table = TableRows(to: sink, width: listing.width, style: style)
        try table.begin(Self.sides)
        for field in fields {
            let mask: (JSONValue) -> JSONValue = { value in
                secrets.contains(field.field) && !value.isNull ? "••••" : value
            }
            let shown = FieldView(
                field: field.field, base: mask(field.base), local: mask(field.local),
                remote: mask(field.remote))
            try table.row(ValuesRow([.string(shown.field), shown.base] + sides(of: shown)))
        }
        try table.end()
        let hint = "conflicts resolve \(name) \(choices)"
        spool.bytes.append(contentsOf: (style(.dim, "  \(hint)") + "\n").utf8)
        try spool.flush()
    }

    /// Local and remote, for people: a side that has no record is no side whose value is null.
    private func sides(of field: FieldView) -> [JSONValue] {
        switch kind {
        case .field: [field.local, field.remote]
        case .editDelete: [field.local, "(deleted)"]
        case .deleteEdit: ["(deleted)", field.remote]
        }
    }

    /// What `conflicts resolve` takes.
    private var choices: String {
        switch kind {
        case .field, .editDelete: "--local | --remote | FIELD=VALUE..."
        case .deleteEdit: "--local | --remote"
        }
    }

    private var explanation: String {
        switch kind {
        case .field: reason.map { Sanitizer.show($0) } ?? "both sides changed it"
        case .editDelete: "edited here, deleted there"
        case .deleteEdit: "deleted here, edited there"
        }
    }
}
