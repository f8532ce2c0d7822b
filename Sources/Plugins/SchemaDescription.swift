internal import JSON
internal import Records

/// A schema as protocol 1 writes it: `models`, `enums` and `types` side by side.
enum SchemaDescription {
    static func members(of schema: Schema) -> JSONObject {
        JSONObject([
            ("models", .array(schema.models.map(model))),
            (
                "enums",
                .object(JSONObject(schema.enums.map { ($0.name, texts($0.values)) }))
            ),
            (
                "types",
                .object(JSONObject(schema.types.map { ($0.name, .array($0.fields.map(field))) }))
            ),
        ])
    }

    private static func model(_ model: Model) -> JSONValue {
        [
            "name": .string(model.name),
            "key": texts(model.key),
            "fields": .array(model.fields.map(field)),
            "relations": .array(model.relations.map(relation)),
        ]
    }

    private static func field(_ field: Field) -> JSONValue {
        let type =
            switch field.type {
            case .scalar(let scalar): scalar.rawValue
            case .enumeration(let name), .nested(let name): name
            }
        var object = JSONObject([
            ("name", .string(field.name)), ("type", .string(type)), ("list", .bool(field.isList)),
            ("required", .bool(field.isRequired)), ("read_only", .bool(field.isReadOnly)),
            ("secret", .bool(field.isSecret)),
        ])
        if let value = field.defaultValue { object.append("default", value) }
        return .object(object)
    }

    private static func relation(_ relation: Relation) -> JSONValue {
        var object = JSONObject([
            ("name", .string(relation.name)), ("kind", .string(relation.kind.rawValue)),
            ("model", .string(relation.model)), ("fields", texts(relation.fields)),
            ("references", texts(relation.references)),
            ("join", relation.join.map { .string($0) } ?? .null),
        ])
        if !relation.joinFields.isEmpty {
            object.append("join_fields", texts(relation.joinFields))
        }
        return .object(object)
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
