package import JSON

// Protocol 1: `models`, `enums` and `types` side by side, in `initialize` and in `schema`'s answer.
//
//     models: [{name, key:[field], fields:[{name,type,list,required,read_only,secret,default}],
//               relations:[{name,kind,model,fields,references,join}], indexes:[{name,fields}]}]
//     enums:  {Name:[value]}        types: {Name:[field]}
//
// Beyond that, and only where they say something: `required_elements` of a list, `join_fields`
// and `required` of a relation, `renamed_from` of a model and of a field.

extension Schema {
    /// The schema as protocol 1 writes it: an object with `models`, `enums` and `types`.
    package var protocolJSON: JSONValue {
        .object(
            JSONObject([
                ("models", .array(models.map(\.protocolJSON))),
                ("enums", .object(JSONObject(enums.map { ($0.name, .strings($0.values)) }))),
                (
                    "types",
                    .object(
                        JSONObject(
                            types.map { ($0.name, .array($0.fields.map(\.protocolJSON))) }))
                ),
            ]))
    }

    /// Reads what `protocolJSON` writes; unknown members are ignored.
    ///
    /// - Throws: Kind `.schema`, naming the place, as in `models[0].fields[2].type`.
    package init(protocolJSON json: JSONValue) throws(RecordsError) {
        let reader = try JSONShape(json, "schema").object()
        var enums: [EnumType] = []
        for (name, value) in try reader.optional("enums")?.pairs() ?? [] {
            enums.append(EnumType(name: name, values: try value.strings()))
        }
        var types: [NestedType] = []
        for (name, value) in try reader.optional("types")?.pairs() ?? [] {
            var fields: [Field] = []
            for field in try value.elements() { fields.append(try Field(protocolJSON: field)) }
            types.append(NestedType(name: name, fields: fields))
        }
        var models: [Model] = []
        for model in try reader.required("models").elements() {
            models.append(try Model(protocolJSON: model))
        }
        self.init(models: models, enums: enums, types: types)
        resolveTypeNames()
        try checkReferences()
    }

    /// Until all names are known, every type that is no scalar passes for an enum.
    private mutating func resolveTypeNames() {
        let nested = Set(types.map(\.name))
        func resolved(_ field: Field) -> Field {
            guard case .enumeration(let name) = field.type, nested.contains(name) else {
                return field
            }
            var field = field
            field.type = .nested(name)
            return field
        }
        for index in models.indices { models[index].fields = models[index].fields.map(resolved) }
        for index in types.indices { types[index].fields = types[index].fields.map(resolved) }
    }
}

extension Model {
    fileprivate var protocolJSON: JSONValue {
        var json = JSONObject([
            ("name", .string(name)), ("key", .strings(key)),
            ("fields", .array(fields.map(\.protocolJSON))),
            ("relations", .array(relations.map(\.protocolJSON))),
        ])
        if !indexes.isEmpty {
            json.append(
                "indexes",
                .array(
                    indexes.map { ["name": .string($0.name), "fields": .strings($0.fields)] }))
        }
        if let renamedFrom { json.append("renamed_from", .string(renamedFrom)) }
        return .object(json)
    }

    fileprivate init(protocolJSON shape: JSONShape) throws(RecordsError) {
        let reader = try shape.object()
        var fields: [Field] = []
        for field in try reader.required("fields").elements() {
            fields.append(try Field(protocolJSON: field))
        }
        let key = try reader.optional("key")?.strings() ?? ["id"]
        var relations: [Relation] = []
        for relation in try reader.optional("relations")?.elements() ?? [] {
            relations.append(try Relation(protocolJSON: relation, key: key))
        }
        var indexes: [Index] = []
        for index in try reader.optional("indexes")?.elements() ?? [] {
            let reader = try index.object()
            indexes.append(
                Index(
                    name: try reader.required("name").text(),
                    fields: try reader.required("fields").strings()))
        }
        self.init(
            name: try reader.required("name").text(), fields: fields, key: key,
            relations: relations, indexes: indexes,
            renamedFrom: try reader.optional("renamed_from")?.text())
    }
}

extension Field {
    fileprivate var protocolJSON: JSONValue {
        let type =
            switch type {
            case .scalar(let scalar): scalar.rawValue
            case .enumeration(let name), .nested(let name): name
            }
        var json = JSONObject([
            ("name", .string(name)), ("type", .string(type)), ("list", .bool(isList)),
            ("required", .bool(isRequired)), ("read_only", .bool(isReadOnly)),
            ("secret", .bool(isSecret)), ("default", defaultValue ?? .null),
        ])
        if hasRequiredElements { json.append("required_elements", true) }
        if let renamedFrom { json.append("renamed_from", .string(renamedFrom)) }
        return .object(json)
    }

    fileprivate init(protocolJSON shape: JSONShape) throws(RecordsError) {
        let reader = try shape.object()
        let type = try reader.required("type").text()
        let value = try reader.optional("default")?.json
        self.init(
            try reader.required("name").text(),
            Scalar(rawValue: type).map(FieldType.scalar) ?? .enumeration(type),
            isList: try reader.flag("list"), isRequired: try reader.flag("required"),
            hasRequiredElements: try reader.flag("required_elements"),
            isReadOnly: try reader.flag("read_only"), isSecret: try reader.flag("secret"),
            defaultValue: value, renamedFrom: try reader.optional("renamed_from")?.text())
    }
}

extension Relation {
    fileprivate var protocolJSON: JSONValue {
        var json = JSONObject([
            ("name", .string(name)), ("kind", .string(kind.rawValue)), ("model", .string(model)),
            ("fields", .strings(fields)), ("references", .strings(references)),
            ("join", join.map(JSONValue.string) ?? .null),
        ])
        if !joinFields.isEmpty { json.append("join_fields", .strings(joinFields)) }
        if isRequired { json.append("required", true) }
        return .object(json)
    }

    fileprivate init(protocolJSON shape: JSONShape, key: [String]) throws(RecordsError) {
        let reader = try shape.object()
        let kindShape = try reader.required("kind")
        guard let kind = Kind(rawValue: try kindShape.text()) else {
            throw kindShape.error("is belongsTo, hasOne, hasMany or manyToMany")
        }
        let fields = try reader.required("fields").strings()
        self.init(
            name: try reader.required("name").text(), kind: kind,
            model: try reader.required("model").text(), fields: fields,
            references: try reader.required("references").strings(),
            join: try reader.optional("join")?.text(),
            joinFields: try reader.optional("join_fields")?.strings() ?? [],
            isRequired: try reader.flag("required"),
            // A has-one that does not start from this model's key starts from a foreign key.
            holdsForeignKey: kind == .belongsTo || (kind == .hasOne && fields != key))
    }
}
