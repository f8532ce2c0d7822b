package import JSON

extension Schema {
    /// Reads Amplify's model introspection, version 1.
    ///
    /// It stands in `amplify_outputs.json` under `data.model_introspection`; the whole file is
    /// taken too.
    ///
    /// - Throws: Kind `.schema`, naming the place.
    package init(modelIntrospection json: JSONValue) throws(RecordsError) {
        let file = json["data"]?["model_introspection"]
        let root = try JSONShape(file ?? json, "model_introspection").object()
        if let version = root.members["version"], version != 1 {
            throw RecordsError(
                .schema, "model_introspection has version \(describe(version)), not 1",
                hint: "generate it again with a current Amplify")
        }
        var enums: [EnumType] = []
        for (name, shape) in try root.optional("enums")?.pairs() ?? [] {
            let values = try shape.object().required("values").strings()
            enums.append(EnumType(name: name, values: values))
        }
        var types: [NestedType] = []
        for (name, shape) in try root.optional("nonModels")?.pairs() ?? [] {
            var fields: [Field] = []
            for (_, field) in try shape.object().required("fields").pairs() {
                if let stored = try IntrospectedField(field).stored { fields.append(stored) }
            }
            types.append(NestedType(name: name, fields: fields))
        }
        var models: [IntrospectedModel] = []
        for (name, shape) in try root.required("models").pairs() {
            models.append(try IntrospectedModel(name, shape.object()))
        }
        for index in models.indices { try IntrospectedModel.addForeignKeys(of: index, in: &models) }
        for index in models.indices { try IntrospectedModel.resolve(index, in: &models) }
        self.init(models: models.map(\.model), enums: enums, types: types)
        try checkReferences()
    }
}

/// A field of the introspection: a value that is stored, or one side of a relation.
private struct IntrospectedField {
    let name: String
    let isRequired: Bool
    /// Nil for a relation.
    let stored: Field?
    /// The other model of a relation.
    let model: String?
    let association: JSONShape.Object?
    let path: String

    init(_ shape: JSONShape) throws(RecordsError) {
        let reader = try shape.object()
        path = shape.path
        name = try reader.required("name").text()
        let isArray = try reader.flag("isArray")
        // Of a list, isRequired speaks of the elements.
        let inner = try reader.flag("isRequired")
        isRequired = isArray ? !(try reader.nullable("isArrayNullable")) : inner
        association = try reader.optional("association")?.object()
        let type = try reader.required("type")
        var fieldType: FieldType?
        var other: String?
        if case .string(let name) = type.json {
            guard let scalar = Scalar(rawValue: name) else { throw type.error("is a known scalar") }
            fieldType = .scalar(scalar)
        } else {
            let named = try type.object()
            if let name = try named.optional("enum") {
                fieldType = .enumeration(try name.text())
            } else if let name = try named.optional("nonModel") {
                fieldType = .nested(try name.text())
            } else {
                other = try named.required("model").text()
            }
        }
        model = other
        let isReadOnly = try reader.flag("isReadOnly")
        stored = fieldType.map { [name, isRequired] in
            Field(
                name, $0, isList: isArray, isRequired: isRequired,
                hasRequiredElements: isArray && inner, isReadOnly: isReadOnly)
        }
    }

    func names(_ key: String) throws(RecordsError) -> [String] {
        guard let shape = try association?.optional(key) else { return [] }
        if case .string(let name) = shape.json { return [name] }
        return try shape.strings()
    }
}

private struct IntrospectedModel {
    var model: Model
    private var relations: [IntrospectedField] = []

    init(_ name: String, _ reader: JSONShape.Object) throws(RecordsError) {
        model = Model(name: name, fields: [])
        for (_, shape) in try reader.required("fields").pairs() {
            let field = try IntrospectedField(shape)
            if let stored = field.stored {
                model.fields.append(stored)
            } else {
                relations.append(field)
            }
        }
        if let key = try reader.optional("primaryKeyInfo")?.object() {
            model.key = [try key.required("primaryKeyFieldName").text()]
            model.key += try key.optional("sortKeyFieldNames")?.strings() ?? []
        }
        for shape in try reader.optional("attributes")?.elements() ?? [] {
            let attribute = try shape.object()
            guard try attribute.required("type").text() == "key",
                let properties = try attribute.optional("properties")?.object(),
                let name = try properties.optional("name")
            else { continue }
            model.indexes.append(
                Index(
                    name: try name.text(), fields: try properties.required("fields").strings()))
        }
    }

    private static func target(_ relation: IntrospectedField, in models: [IntrospectedModel])
        throws(RecordsError) -> Int
    {
        guard let index = models.firstIndex(where: { $0.model.name == relation.model }) else {
            throw RecordsError(
                .schema, "\(relation.path): unknown model \(relation.model ?? "")")
        }
        return index
    }

    /// Foreign keys are listed as fields only where no relation stands for them.
    static func addForeignKeys(of index: Int, in models: inout [IntrospectedModel])
        throws(RecordsError)
    {
        for relation in models[index].relations {
            let target = try target(relation, in: models)
            let isMany = try relation.association?.optional("connectionType")?.text() == "HAS_MANY"
            let own = try relation.names("targetNames")
            add(
                own, to: index, like: target, relation.isRequired && !isMany, in: &models)
            if own.isEmpty {
                let theirs = try relation.names("associatedWith").filter { name in
                    !models[target].relations.contains { $0.name == name }
                }
                add(theirs, to: target, like: index, false, in: &models)
            }
        }
    }

    private static func add(
        _ names: [String], to holder: Int, like other: Int, _ isRequired: Bool,
        in models: inout [IntrospectedModel]
    ) {
        for (name, key) in zip(names, models[other].model.key)
        where models[holder].model.field(name) == nil {
            let type = models[other].model.field(key)?.type ?? .scalar(.id)
            models[holder].model.fields.append(Field(name, type, isRequired: isRequired))
        }
    }

    static func resolve(_ index: Int, in models: inout [IntrospectedModel]) throws(RecordsError) {
        let model = models[index].model
        for relation in models[index].relations {
            let other = models[try target(relation, in: models)]
            let kind = try relation.association?.optional("connectionType")
            let own = try relation.names("targetNames")
            var theirs = try relation.names("associatedWith")
            // The other side may be told by its relation instead of its foreign key.
            if theirs.count == 1, let back = other.relations.first(where: { $0.name == theirs[0] })
            {
                theirs = try back.names("targetNames")
            }
            let resolved: Relation
            switch try kind?.text() {
            case "BELONGS_TO":
                resolved = Relation(
                    name: relation.name, kind: .belongsTo, model: other.model.name, fields: own,
                    references: other.model.key, isRequired: relation.isRequired)
            case "HAS_ONE" where !own.isEmpty:
                resolved = Relation(
                    name: relation.name, kind: .hasOne, model: other.model.name, fields: own,
                    references: other.model.key, isRequired: relation.isRequired,
                    holdsForeignKey: true)
            case "HAS_ONE":
                resolved = Relation(
                    name: relation.name, kind: .hasOne, model: other.model.name,
                    fields: model.key, references: theirs, isRequired: relation.isRequired)
            case "HAS_MANY":
                resolved = Relation(
                    name: relation.name, kind: .hasMany, model: other.model.name,
                    fields: model.key, references: theirs)
            default:
                throw RecordsError(
                    .schema,
                    "\(relation.path) is a relation, but its association does not say which kind")
            }
            models[index].model.relations.append(resolved)
        }
    }
}

extension JSONShape.Object {
    /// A boolean that is true when absent.
    fileprivate func nullable(_ key: String) throws(RecordsError) -> Bool {
        try optional(key) == nil ? true : try flag(key)
    }
}
