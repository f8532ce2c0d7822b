internal import JSON
internal import Records

/// A model's table with the statements that are run on it, each prepared at its first use.
final class ModelTable {
    let model: Model
    let name: String
    private var kept: [Purpose: CachedStatement] = [:]

    /// Worked out at its first use: one command touches few of the models.
    private(set) lazy var layout = ModelLayout(model, table: name)

    /// `"name":` of each field, as JSON has it.
    private(set) lazy var labels = layout.columns.map { column in
        var label: [UInt8] = []
        JSONWriter.appendString(column.field, to: &label)
        return label + [UInt8(ascii: ":")]
    }

    enum Purpose: Hashable {
        case put, insert, read, exists, remove, ids
        /// What a full pull did not meet, and how much that is.
        case unseen, countUnseen, countClean
        /// Records with live mutations whose fields have given values.
        case referring([String])
    }

    init(_ model: Model, name: String) {
        self.model = model
        self.name = name
    }

    /// The table of a model that left the schema.
    init(_ model: Model, kept layout: ModelLayout) {
        self.model = model
        name = layout.table
        self.layout = layout
    }

    /// The tables of a schema's models, in its order.
    static func tables(of schema: Schema) -> [ModelTable] {
        var names = UniqueNames(taken: Migration.tables)
        return schema.models.map { model in
            let isReserved = model.name.hasPrefix("_") || model.name.hasPrefix("sqlite_")
            let name = names.claim(isReserved ? "model\(model.name)" : model.name)
            return ModelTable(model, name: name)
        }
    }

    /// The prepared form of a statement; nil where there is none, or it is in the midst of its
    /// rows.
    @inline(__always)
    func idle(_ purpose: Purpose) -> CachedStatement? {
        guard let found = kept[purpose], !found.isBusy else { return nil }
        return found
    }

    func keep(_ made: CachedStatement, for purpose: Purpose) -> CachedStatement {
        if kept[purpose] == nil { kept[purpose] = made }
        return made
    }

    func sql(_ purpose: Purpose) throws(StoreError) -> String {
        switch purpose {
        case .put: return layout.upsert
        case .insert: return "\(layout.insert) ON CONFLICT (id) DO NOTHING"
        case .read: return "SELECT \(layout.selected()) FROM \(layout.quotedTable) WHERE id = ?"
        case .exists: return "SELECT 1 FROM \(layout.quotedTable) WHERE id = ?"
        case .remove: return "DELETE FROM \(layout.quotedTable) WHERE id = ?"
        case .ids: return "SELECT id FROM \(layout.quotedTable) ORDER BY id LIMIT ?"
        case .unseen: return "SELECT id \(unseen) ORDER BY id LIMIT ?4"
        case .countUnseen: return "SELECT count(*) \(unseen)"
        case .countClean:
            return """
                SELECT count(*) FROM \(layout.quotedTable) AS record WHERE NOT EXISTS (
                    SELECT 1 FROM mutation
                    WHERE model = ?1 AND id = record.id AND state <> 'rejected')
                """
        case .referring(let fields):
            var condition = ""
            for field in fields { condition += "AND \(try layout.sql(field, "record")) = ? " }
            return """
                SELECT id FROM \(layout.quotedTable) AS record
                WHERE EXISTS (SELECT 1 FROM mutation
                    WHERE model = ? AND id = record.id AND state <> 'rejected') \(condition)
                ORDER BY id
                """
        }
    }

    private var unseen: String {
        """
        FROM \(layout.quotedTable) AS record
        WHERE id > ?3
            AND NOT EXISTS (SELECT 1 FROM seen WHERE model = ?1 AND id = record.id)
            AND NOT EXISTS (SELECT 1 FROM mutation
                WHERE model = ?1 AND id = record.id AND state <> 'rejected')
            AND id NOT IN (SELECT id FROM change
                WHERE seq > ?2 AND model = ?1 AND origin = 'push')
        """
    }
}

extension ModelLayout {
    /// Parameters: id, version, extra, then the columns that are not the id.
    fileprivate var insert: String {
        let marks = repeatElement("?", count: written.count + 1).joined(separator: ", ")
        return """
            INSERT INTO \(quotedTable) (id, \(written.joined(separator: ", "))) VALUES (\(marks))
            """
    }

    fileprivate var upsert: String {
        let sets = written.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return "\(insert) ON CONFLICT (id) DO UPDATE SET \(sets)"
    }

    private var written: [String] {
        ["_version", "_extra"] + columns.filter { !$0.isID }.map { Self.quoted($0.name) }
    }

    /// What `Row` reads: id, version, extra, then every field, or `fields` of them.
    func selected(_ fields: [Int]? = nil, from alias: String? = nil) -> String {
        let prefix = alias.map { "\($0)." } ?? ""
        let wanted = fields.map { $0.map { columns[$0] } } ?? columns
        return (["id", "_version", "_extra"] + wanted.map { Self.quoted($0.name) })
            .map { prefix + $0 }.joined(separator: ", ")
    }

    var createTable: String {
        let columns = columns.filter { !$0.isID }.map {
            ", \(Self.quoted($0.name)) \($0.encoding.declaration)"
        }
        return """
            CREATE TABLE \(quotedTable) (id TEXT PRIMARY KEY\(columns.joined()), \
            _extra TEXT, _version TEXT) STRICT, WITHOUT ROWID
            """
    }

    /// Names of indexes hold a dot, which names of tables never do.
    var createIndexes: [(name: String, sql: String)] {
        indexes.map { columns in
            let name = "\(table).\(columns.joined(separator: ","))"
            let list = columns.map(Self.quoted).joined(separator: ", ")
            return (name, "CREATE INDEX \(Self.quoted(name)) ON \(quotedTable) (\(list))")
        }
    }
}
