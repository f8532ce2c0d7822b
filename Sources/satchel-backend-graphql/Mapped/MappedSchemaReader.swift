internal import JSON
package import Records

/// Makes models out of what any API tells of its types.
package struct MappedSchemaReader {
    private let api: Introspection
    private let shape: Mapping.Shape?
    private let named: [String]

    /// `named` are types that are records whatever they look like.
    package init(_ api: Introspection, shape: Mapping.Shape?, named: [String] = []) {
        self.api = api
        self.shape = shape
        self.named = named
    }

    /// The models with their enums and types; relations where the names of fields tell them.
    package func schema() -> Schema {
        var reader = Reading(api: api, records: records())
        var models = reader.records.compactMap { reader.model($0) }
        let known = models
        for index in models.indices {
            models[index].relations = holding(known[index], known)
        }
        let holders = models
        for index in models.indices {
            models[index].relations += held(models[index], holders)
            // A field that has the key of another record is of the key's type.
            for relation in models[index].relations where relation.kind == .belongsTo {
                for (name, other) in zip(relation.fields, relation.references) {
                    guard let place = models[index].fieldIndex(name),
                        let type = known.first(where: { $0.name == relation.model })?
                            .field(other)?.type
                    else { continue }
                    models[index].fields[place].type = type
                }
            }
        }
        return Schema(models: models, enums: reader.enums, types: reader.nested)
    }

    /// The types that are kinds of records, with the fields of their keys.
    private func records() -> [(type: Introspection.TypeDefinition, key: [String])] {
        api.types.compactMap { type in
            guard type.kind == "OBJECT", !type.name.hasPrefix("__") else { return nil }
            let isListed = api.queries.contains { query in
                let isPage =
                    api.type(query.type.name)?.members.contains {
                        $0.type.name == type.name && $0.type.isList
                    } ?? false
                return query.type.name == type.name && query.type.isList || isPage
            }
            guard isListed || named.contains(type.name) else { return nil }
            let single = api.queries.filter { query in
                query.type.name == type.name && !query.type.isList && !query.arguments.isEmpty
                    && query.arguments.allSatisfy {
                        $0.type.isRequired && type.member($0.name) != nil
                    }
            }
            let own = single.first { !$0.arguments.contains { $0.name == "nodeId" } }
            let key = own?.arguments.map(\.name) ?? ["id"]
            guard key.allSatisfy({ type.member($0)?.type.isRequired ?? false }) else { return nil }
            return (type, key)
        }
    }

    /// What making models has found so far.
    private struct Reading {
        let api: Introspection
        let records: [(type: Introspection.TypeDefinition, key: [String])]
        var enums: [EnumType] = []
        var nested: [NestedType] = []
        private var visited: Set<String> = []

        init(
            api: Introspection, records: [(type: Introspection.TypeDefinition, key: [String])]
        ) {
            self.api = api
            self.records = records
        }

        mutating func model(
            _ record: (type: Introspection.TypeDefinition, key: [String])
        ) -> Model? {
            let inputs = api.types.filter {
                $0.kind == "INPUT_OBJECT" && Self.isInput($0.name, of: record.type.name)
            }
            var fields: [Field] = []
            for member in record.type.members where member.name != "nodeId" {
                guard member.arguments.isEmpty || !isObject(member.type.name),
                    var field = field(member)
                else { continue }
                let isKey = record.key.contains { $0.sameBytes(as: field.name) }
                if isKey {
                    if record.key.count == 1, ScalarNames.numbers.contains(member.type.name) {
                        field.type = .scalar(.id)
                    }
                } else if !inputs.isEmpty {
                    let written = inputs.compactMap { $0.member(field.name) }
                    let isStamp = Self.stamps.contains(
                        field.name.lowercased().split(separator: "_").joined())
                    field.isReadOnly = written.isEmpty || isStamp
                    // The API fills in what it does not ask for.
                    if field.isRequired {
                        field.isRequired = written.contains { $0.type.isRequired }
                    }
                }
                fields.append(field)
            }
            return fields.isEmpty
                ? nil
                : Model(name: record.type.name, fields: fields, key: record.key)
        }

        private static let stamps: Set<String> = ["createdat", "updatedat"]

        /// True for the inputs of writes to a type, as most APIs name them.
        private static func isInput(_ name: String, of type: String) -> Bool {
            [
                "\(type)Input", "\(type)Patch", "Create\(type)Input", "Update\(type)Input",
                "New\(type)", "\(type)CreateInput", "\(type)UpdateInput", "\(type)_insert_input",
                "\(type)_set_input",
            ].contains(name)
        }

        private func isObject(_ name: String) -> Bool { api.type(name)?.kind == "OBJECT" }

        /// A field that a record holds; nil for a relation.
        private mutating func field(_ member: Introspection.Member) -> Field? {
            guard let type = fieldType(member.type.name) else { return nil }
            return Field(
                member.name, type, isList: member.type.isList, isRequired: member.type.isRequired,
                hasRequiredElements: member.type.isList && member.type.hasRequiredElements)
        }

        private mutating func fieldType(_ name: String) -> FieldType? {
            if let scalar = Scalar(rawValue: name) { return .scalar(scalar) }
            guard let type = api.type(name) else { return nil }
            switch type.kind {
            case "SCALAR": return .scalar(ScalarNames.scalar(name))
            case "ENUM":
                if visited.insert(name).inserted {
                    enums.append(EnumType(name: name, values: type.values))
                }
                return .enumeration(name)
            case "OBJECT":
                let holdsRecords = type.members.contains { member in
                    records.contains { $0.type.name.sameBytes(as: member.type.name) }
                }
                if holdsRecords || records.contains(where: { $0.type.name.sameBytes(as: name) }) {
                    return nil
                }
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

    /// Relations whose key this model's records hold: `post` with `postId` or `post_id`.
    private func holding(_ model: Model, _ models: [Model]) -> [Relation] {
        (api.type(model.name)?.members ?? []).compactMap { member in
            guard !member.type.isList,
                let other = models.first(where: { $0.name.sameBytes(as: member.type.name) }),
                other.key.count == 1
            else { return nil }
            let key = other.key[0]
            let names = ["Id", "ID", "_id", key.capitalizedFirst, "_\(key)"].map {
                member.name + $0
            }
            guard let name = names.first(where: { model.field($0) != nil }) else { return nil }
            return Relation(
                name: member.name, kind: .belongsTo, model: other.name, fields: [name],
                references: other.key, isRequired: member.type.isRequired)
        }
    }

    /// Relations whose key the other model's records hold: lists, or pages with `nodes`.
    private func held(_ model: Model, _ models: [Model]) -> [Relation] {
        (api.type(model.name)?.members ?? []).compactMap { member in
            let list = api.type(member.type.name)
            // Hasura's counts of a relation have the rows as well.
            if list?.member("aggregate") != nil { return nil }
            let page = list?.member("nodes")?.type.name
            let name = page ?? (member.type.isList ? member.type.name : "")
            guard let other = models.first(where: { $0.name.sameBytes(as: name) }) else {
                return nil
            }
            let backs = other.relations.filter {
                $0.kind == .belongsTo && $0.model.sameBytes(as: model.name)
            }
            guard backs.count == 1, let back = backs.first else { return nil }
            return Relation(
                name: member.name, kind: .hasMany, model: other.name, fields: model.key,
                references: back.fields)
        }
    }
}
