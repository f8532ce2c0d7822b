internal import JSON
package import Records

/// Makes models out of what an API tells of its types, where they are as Amplify generates them.
package struct SchemaReader {
    private let api: Introspection
    private var enums: [EnumType] = []
    private var nested: [NestedType] = []
    private var visited: Set<String> = []
    /// The names of the types that are kinds of records.
    private let modelNames: [String]

    package init(_ api: Introspection) {
        self.api = api
        modelNames = api.types.filter { Self.isModel($0, api) }.map(\.name)
    }

    /// The models with their enums and types; relations where the fields tell them.
    package mutating func schema() -> Schema {
        var models = modelNames.compactMap { name in model(name) }
        RelationFinder(api).addRelations(to: &models)
        return Schema(models: models, enums: enums, types: nested)
    }

    /// A type with pages of its own, or one that can be made and got.
    private static func isModel(_ type: Introspection.TypeDefinition, _ api: Introspection) -> Bool
    {
        guard type.kind == "OBJECT" else { return false }
        if api.queries.contains(where: { $0.type.name == "Model\(type.name)Connection" }) {
            return true
        }
        let isMade = api.mutations.contains { mutation in
            mutation.type.name == type.name
                && mutation.arguments.contains { $0.type.name == "Create\(type.name)Input" }
        }
        return isMade && api.queries.contains { $0.type.name == type.name && !$0.type.isList }
    }

    private mutating func model(_ name: String) -> Model? {
        guard let type = api.type(name) else { return nil }
        let key = key(of: type)
        let create = api.type("Create\(name)Input")
        let update = api.type("Update\(name)Input")
        var fields: [Field] = []
        for member in type.members where member.name.utf8.first != UInt8(ascii: "_") {
            guard var field = field(member) else { continue }
            let isKey = key.contains { $0.sameBytes(as: field.name) }
            let inCreate = create?.member(field.name)
            let isWritten = inCreate != nil || update?.member(field.name) != nil
            field.isReadOnly = !isKey && !isWritten && (create != nil || update != nil)
            // The server fills in what it does not ask for.
            if field.isRequired, !isKey, let inCreate {
                field.isRequired = inCreate.type.isRequired
            }
            fields.append(field)
        }
        guard key.allSatisfy({ name in fields.contains { $0.name.sameBytes(as: name) } }) else {
            return nil
        }
        return Model(name: name, fields: fields, key: key)
    }

    /// The arguments that the query for one record must have.
    private func key(of type: Introspection.TypeDefinition) -> [String] {
        let single = api.queries.filter { $0.type.name == type.name && !$0.type.isList }
        let query =
            single.first { $0.name == "get\(type.name.capitalizedFirst)" } ?? single.first
        let names = (query?.arguments ?? []).filter(\.type.isRequired).map(\.name)
        let isThere = names.allSatisfy { type.member($0) != nil }
        return names.isEmpty || !isThere ? ["id"] : names
    }

    /// A field that a record holds; nil for a relation.
    private mutating func field(_ member: Introspection.Member) -> Field? {
        let reference = member.type
        guard let type = fieldType(reference.name) else { return nil }
        return Field(
            member.name, type, isList: reference.isList, isRequired: reference.isRequired,
            hasRequiredElements: reference.isList && reference.hasRequiredElements)
    }

    private mutating func fieldType(_ name: String) -> FieldType? {
        if let scalar = Scalar(rawValue: name) { return .scalar(scalar) }
        guard let type = api.type(name) else { return nil }
        switch type.kind {
        // A scalar of the API's own is shown as it travels.
        case "SCALAR": return .scalar(.string)
        case "ENUM":
            if visited.insert(name).inserted {
                enums.append(EnumType(name: name, values: type.values))
            }
            return .enumeration(name)
        case "OBJECT":
            let isRecord = modelNames.contains { $0.sameBytes(as: name) }
            let isPage = name.hasPrefix("Model") && name.hasSuffix("Connection")
            if isRecord || isPage { return nil }
            if visited.insert(name).inserted {
                let place = nested.count
                nested.append(NestedType(name: name, fields: []))
                let fields = type.members.compactMap { member in field(member) }
                nested[place].fields = fields
            }
            return .nested(name)
        default: return nil
        }
    }
}

/// Finds which fields hold the keys of other records, by the names that Amplify gives them.
struct RelationFinder {
    private let api: Introspection

    init(_ api: Introspection) { self.api = api }

    func addRelations(to models: inout [Model]) {
        for index in models.indices { models[index].relations = holding(models[index], models) }
        // The other sides follow from those that hold the keys.
        let known = models
        for index in models.indices {
            models[index].relations += held(known[index], known)
        }
    }

    /// Relations whose key this model's records hold.
    private func holding(_ model: Model, _ models: [Model]) -> [Relation] {
        guard let type = api.type(model.name) else { return [] }
        return type.members.compactMap { member in
            guard !member.type.isList,
                let other = models.first(where: { $0.name.sameBytes(as: member.type.name) }),
                let fields = foreignKey(model, member.name, other)
            else { return nil }
            return Relation(
                name: member.name, kind: .belongsTo, model: other.name, fields: fields,
                references: other.key, isRequired: member.type.isRequired)
        }
    }

    private func foreignKey(_ model: Model, _ relation: String, _ other: Model) -> [String]? {
        let from = model.name.uncapitalizedFirst + relation.capitalizedFirst
        // A list in the other model may have named the key: postCommentsId.
        let back = (api.type(other.name)?.members ?? []).filter {
            $0.type.name == "Model\(model.name)Connection"
        }.map { other.name.uncapitalizedFirst + $0.name.capitalizedFirst }
        if other.key.count == 1 {
            let suffixes = ["Id", "ID", "_id", other.key[0].capitalizedFirst]
            let names =
                suffixes.map { relation + $0 } + ([from] + back).map { $0 + "Id" }
                + ([from] + back).map { $0 + other.key[0].capitalizedFirst }
            return names.first { isKeyField($0, model) }.map { [$0] }
        }
        for stem in [relation, from] + back {
            let names = other.key.map { stem + $0.capitalizedFirst }
            if names.allSatisfy({ isKeyField($0, model) }) { return names }
        }
        return nil
    }

    private func isKeyField(_ name: String, _ model: Model) -> Bool {
        guard let field = model.field(name), !field.isList else { return false }
        if case .nested = field.type { return false }
        return true
    }

    /// Relations whose key the other model's records hold.
    private func held(_ model: Model, _ models: [Model]) -> [Relation] {
        guard let type = api.type(model.name) else { return [] }
        return type.members.compactMap { member in
            let isMany =
                member.type.name.hasPrefix("Model") && member.type.name.hasSuffix("Connection")
            let name =
                isMany
                ? String(member.type.name.dropFirst(5).dropLast(10)) : member.type.name
            guard model.relation(member.name) == nil,
                let other = models.first(where: { $0.name.sameBytes(as: name) })
            else { return nil }
            let backs = other.relations.filter { $0.model.sameBytes(as: model.name) }
            let stem = model.name.uncapitalizedFirst + member.name.capitalizedFirst
            // Of several keys the one that bears this list's name is meant.
            guard
                let back = backs.count == 1
                    ? backs[0] : backs.first(where: { $0.fields[0].hasPrefix(stem) })
            else { return nil }
            return Relation(
                name: member.name, kind: isMany ? .hasMany : .hasOne, model: other.name,
                fields: model.key, references: back.fields)
        }
    }
}
