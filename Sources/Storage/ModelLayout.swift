internal import JSON
import Records

/// How a model's records lie in their table: which table, and a column a field.
///
/// Names here are a function of the schema alone, and are also kept in the store, so that a later
/// schema can be told from the one the tables were made for. SQLite's names ignore case and the
/// schema's do not: where two would be one, the later gets a number.
struct ModelLayout: Equatable {
    /// How a field's values are held in its column.
    ///
    /// A value that its column cannot give back exactly lies in `_extra` under the field's name,
    /// and overrules the column, which is null or the nearest it can hold.
    enum Encoding: String {
        /// A JSON string as its text.
        case text
        /// A JSON number: an integer or a real.
        case number
        /// 0 or 1.
        case boolean
        /// An array or an object as compact JSON.
        case json
    }

    struct Column: Equatable {
        var field: String
        var name: String
        var encoding: Encoding
        /// True for the only key field, of a text type: its column is the table's `id`.
        let isID: Bool

        init(field: String, name: String, encoding: Encoding) {
            self.field = field
            self.name = name
            self.encoding = encoding
            isID = name == "id"
        }
    }

    var model: String
    var table: String
    /// In the order of the model's fields.
    var columns: [Column]
    /// Column names of each secondary index.
    var indexes: [[String]]

    var quotedTable: String { Self.quoted(table) }

    func column(_ field: String) -> Column? {
        columns.first { $0.field.sameBytes(as: field) }
    }

    static func quoted(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }
}

extension ModelLayout {
    /// Changes whenever another Satchel would lay out the same schema in another way.
    static let version = 1

    init(_ model: Model, table: String) {
        self.model = model.name
        self.table = table
        var names = UniqueNames(taken: ["id", "_extra", "_version", "rowid"])
        let keyColumn = model.key.count == 1 ? model.key[0] : nil
        columns = model.fields.map { field in
            let encoding = Encoding(of: field)
            let isID = encoding == .text && keyColumn?.sameBytes(as: field.name) == true
            return Column(
                field: field.name, name: isID ? "id" : names.claim(field.name),
                encoding: encoding)
        }
        indexes = []
        // What cascades and `include` look up, then what the schema asks for.
        let wanted =
            model.relations.filter(\.looksUpItself).map(\.fields) + model.indexes.map(\.fields)
        for fields in wanted {
            let names = fields.compactMap { column($0)?.name }
            if names.count == fields.count, !names.isEmpty, names != ["id"],
                !indexes.contains(where: { $0.starts(with: names) })
            {
                indexes.append(names)
            }
        }
    }
}

extension ModelLayout.Encoding {
    fileprivate init(of field: Field) {
        if field.isList {
            self = .json
            return
        }
        switch field.type {
        case .enumeration: self = .text
        case .nested: self = .json
        case .scalar(.int), .scalar(.float), .scalar(.timestamp): self = .number
        case .scalar(.boolean): self = .boolean
        case .scalar: self = .text
        }
    }

    /// The column's declaration in a STRICT table; ANY keeps an integer and a real apart.
    var declaration: String {
        switch self {
        case .text, .json: "TEXT"
        case .number: "ANY"
        case .boolean: "INTEGER"
        }
    }
}

extension Relation {
    /// True when records are looked up by this record's own fields of the relation.
    fileprivate var looksUpItself: Bool {
        switch kind {
        case .belongsTo, .hasOne: true
        case .hasMany, .manyToMany: false
        }
    }
}

/// Gives each name once, whatever its case.
struct UniqueNames {
    private var taken: Set<String>

    init(taken: [String]) { self.taken = Set(taken.map(Self.folded)) }

    mutating func claim(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(Self.folded(candidate)).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }

    /// SQLite knows the case of ASCII letters alone.
    private static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
