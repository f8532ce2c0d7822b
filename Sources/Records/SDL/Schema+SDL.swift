internal import JSON

extension Schema {
    /// The schema as SDL that says everything: keys, foreign keys and join fields are spelled out,
    /// so reading it back gives the same models.
    package var sdl: String {
        var blocks: [String] = []
        var joins = models.count
        while joins > 0, isImplicitJoin(models[joins - 1]) { joins -= 1 }
        for model in models[..<joins] { blocks.append(sdl(of: model)) }
        for type in types {
            let fields = type.fields.map { "  " + $0.sdl + $0.directives.joined() + "\n" }
            blocks.append("type \(type.name) {\n\(fields.joined())}\n")
        }
        for item in enums {
            let values = item.values.map { "  \($0)\n" }
            blocks.append("enum \(item.name) {\n\(values.joined())}\n")
        }
        return blocks.joined(separator: "\n")
    }

    /// One model of the schema as SDL.
    package func sdl(of model: Model) -> String {
        var text = "type \(model.name) @model\(renamed(from: model.renamedFrom)) {\n"
        for field in model.fields {
            text += "  " + field.sdl
            if field.name == model.key[0], model.key.count > 1 || field.name != "id" {
                let sortKeys = list(Array(model.key.dropFirst()))
                text +=
                    model.key.count > 1
                    ? " @primaryKey(sortKeyFields: \(sortKeys))" : " @primaryKey"
            }
            for index in model.indexes where index.fields.first == field.name {
                text += " @index(name: \"\(index.name)\""
                if index.fields.count > 1 {
                    text += ", sortKeyFields: \(list(Array(index.fields.dropFirst())))"
                }
                text += ")"
            }
            text += field.directives.joined() + "\n"
        }
        for relation in model.relations { text += "  " + sdl(of: relation, in: model) + "\n" }
        return text + "}\n"
    }

    private func sdl(of relation: Relation, in model: Model) -> String {
        let isMany = relation.isToMany
        var text = "\(relation.name): \(isMany ? "[\(relation.model)]" : relation.model)"
        if relation.isRequired { text += "!" }
        text += " @\(relation.kind.rawValue)("
        switch relation.kind {
        case .belongsTo: text += "fields: \(list(relation.fields))"
        case .hasOne where relation.holdsForeignKey: text += "fields: \(list(relation.fields))"
        case .hasOne, .hasMany:
            text += "references: \(list(relation.references))"
            if relation.fields != model.key { text += ", fields: \(list(relation.fields))" }
        case .manyToMany: text += "relationName: \"\(relation.join ?? "")\""
        }
        return text + ")"
    }

    private func list(_ names: [String]) -> String {
        "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    /// True for a join model just as `@manyToMany` makes it.
    private func isImplicitJoin(_ model: Model) -> Bool {
        guard model.key == ["id"], model.relations.count == 2, model.indexes.count == 2 else {
            return false
        }
        var fields = [Field("id", .scalar(.id), isRequired: true)]
        for (relation, index) in zip(model.relations, model.indexes) {
            guard relation.kind == .belongsTo, relation.isRequired,
                relation.name == lowerFirst(relation.model), let other = self.model(relation.model),
                index == Index(name: "by\(other.name)", fields: relation.fields),
                other.relations.contains(where: {
                    $0.join == model.name && $0.references == relation.fields
                })
            else { return false }
            for key in other.key {
                let name = lowerFirst(other.name) + (key == "id" ? "ID" : upperFirst(key))
                fields.append(
                    Field(name, other.field(key)?.type ?? .scalar(.id), isRequired: true))
            }
        }
        return model.fields == fields
    }
}

extension Field {
    fileprivate var sdl: String { "\(name): \(typeText)\(isRequired ? "!" : "")" }

    fileprivate var directives: [String] {
        var directives: [String] = []
        if let value = defaultValue {
            let text = value.text ?? value.serialized()
            directives.append(" @default(value: \(SDLText.quoted(text)))")
        }
        if isReadOnly { directives.append(" @readOnly") }
        if isSecret { directives.append(" @secret") }
        if renamedFrom != nil { directives.append(renamed(from: renamedFrom)) }
        return directives
    }
}

private func renamed(from name: String?) -> String {
    name.map { " @renamed(from: \(SDLText.quoted($0)))" } ?? ""
}
