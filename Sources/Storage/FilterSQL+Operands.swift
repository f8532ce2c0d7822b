internal import JSON
internal import Records

extension FilterSQL {
    /// A value of a record as SQL.
    struct Operand {
        enum Kind: Equatable {
            case text, number, boolean, state, version
            case instant(InstantKey.Kind)
            /// An array or an object; of what scalar, if an array.
            case json(Scalar?)
        }
        var sql: String
        var kind: Kind
        /// The record whose `_state` this is, by its model and id in SQL.
        var owner: (model: String, id: String)?

        var isText: Bool {
            switch kind {
            case .text, .state, .version, .instant: true
            case .number, .boolean, .json: false
            }
        }

        /// What orders and equals as the value does.
        var comparable: String {
            switch kind {
            case .instant(let kind): "satchel_instant(\(sql), \(kind.rawValue))"
            default: sql
            }
        }
    }

    /// The value at the end of a path; nil when a to-many relation is on the way, where there may
    /// be several.
    mutating func operand(
        _ path: Filter.Path, _ model: Model, _ alias: String
    ) throws(StoreError) -> Operand? {
        guard let first = path.relations.first else { return try operand(path.field, model, alias) }
        let relation = try relation(first, model)
        if path.relations.count == 1, path.field == "count", relation.isToMany {
            let source = try source(of: relation, model, alias)
            return Operand(
                sql: "(SELECT count(*) FROM \(source.tables) WHERE \(source.condition))",
                kind: .number)
        }
        if relation.isToMany { return nil }
        let source = try source(of: relation, model, alias)
        var rest = path
        rest.relations.removeFirst()
        guard let inner = try operand(rest, source.model, source.alias) else { return nil }
        return Operand(
            sql: "(SELECT \(inner.sql) FROM \(source.tables) WHERE \(source.condition) LIMIT 1)",
            kind: inner.kind)
    }

    private mutating func operand(
        _ name: String, _ model: Model, _ alias: String
    ) throws(StoreError) -> Operand {
        switch name {
        case "_version": return Operand(sql: "\(alias)._version", kind: .version)
        case "_state":
            let owner = (model: bind(.text(model.name)), id: "\(alias).id")
            return Operand(sql: stateSQL(owner.model, owner.id), kind: .state, owner: owner)
        default:
            guard let field = model.field(name), let column = try layout(model).column(name) else {
                throw StoreError(.misuse, "\(model.name) has no field \(name)")
            }
            return Operand(
                sql: "\(alias).\(ModelLayout.quoted(column.name))", kind: Operand.Kind(field))
        }
    }

    /// What a person has to look at comes before what goes on by itself.
    private func stateSQL(_ model: String, _ id: String) -> String {
        """
        coalesce((SELECT CASE min(CASE state WHEN 'conflict' THEN 1 WHEN 'rejected' THEN 2 \
        ELSE 3 END) WHEN 1 THEN 'conflict' WHEN 2 THEN 'rejected' WHEN 3 THEN 'pending' END \
        FROM mutation WHERE model = \(model) AND id = \(id)), 'synced')
        """
    }

    func relation(_ name: String, _ model: Model) throws(StoreError) -> Relation {
        guard let relation = model.relation(name) else {
            throw StoreError(.misuse, "\(model.name) has no relation \(name)")
        }
        return relation
    }

    func layout(_ model: Model) throws(StoreError) -> ModelLayout {
        guard let table = tables.first(where: { $0.model.name == model.name }) else {
            throw StoreError(.misuse, "the store has no model \(model.name)")
        }
        return table.layout
    }

    /// The records on the other side of a relation.
    mutating func source(
        of relation: Relation, _ model: Model, _ alias: String
    ) throws(StoreError) -> (model: Model, alias: String, tables: String, condition: String) {
        let other = try named(relation.model)
        let name = self.alias()
        let table = "\(try layout(other).quotedTable) AS \(name)"
        guard let join = try relation.join.map({ (join) throws(StoreError) in try named(join) })
        else {
            let condition = try equal(
                relation.references, other, name, relation.fields, model, alias)
            return (other, name, table, condition)
        }
        let between = self.alias()
        let near = try equal(relation.references, join, between, relation.fields, model, alias)
        let far = try equal(other.key, other, name, relation.joinFields, join, between)
        return (
            other, name, "\(try layout(join).quotedTable) AS \(between) CROSS JOIN \(table)",
            "\(near) AND \(far)"
        )
    }

    private func named(_ model: String) throws(StoreError) -> Model {
        guard let model = schema.model(model) else {
            throw StoreError(.misuse, "the schema has no model \(model)")
        }
        return model
    }

    private func equal(
        _ fields: [String], _ model: Model, _ alias: String,
        _ otherFields: [String], _ otherModel: Model, _ otherAlias: String
    ) throws(StoreError) -> String {
        guard fields.count == otherFields.count, !fields.isEmpty else {
            throw StoreError(.misuse, "a relation of \(model.name) lacks its fields")
        }
        var parts: [String] = []
        for (field, otherField) in zip(fields, otherFields) {
            guard let column = try layout(model).column(field),
                let other = try layout(otherModel).column(otherField)
            else { throw StoreError(.misuse, "\(model.name) has no field \(field)") }
            parts.append(
                "\(alias).\(ModelLayout.quoted(column.name)) = "
                    + "\(otherAlias).\(ModelLayout.quoted(other.name))")
        }
        return parts.joined(separator: " AND ")
    }
}

extension FilterSQL.Operand.Kind {
    fileprivate init(_ field: Field) {
        switch (field.isList, field.type) {
        case (true, .scalar(let scalar)): self = .json(scalar)
        case (true, _), (_, .nested): self = .json(nil)
        case (_, .enumeration): self = .text
        case (_, .scalar(let scalar)):
            switch scalar {
            case .int, .float, .timestamp: self = .number
            case .boolean: self = .boolean
            default: self = InstantKey.Kind(scalar).map { .instant($0) } ?? .text
            }
        }
    }
}

extension Relation {
    var isToMany: Bool { kind == .hasMany || kind == .manyToMany }
}
