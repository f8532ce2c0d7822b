internal import JSON
internal import Platform
internal import Records

/// A model the kit can make records of.
struct SampleModel {
    let model: Model
    /// A text that may be written.
    let field: Field
    private let schema: Schema

    /// What plugins are offered that take any model.
    static var offered: Schema {
        Schema(models: [
            Model(
                name: "Note",
                fields: [
                    Field("id", .scalar(.id), isRequired: true),
                    Field("title", .scalar(.string), isRequired: true),
                    Field("body", .scalar(.string)), Field("rating", .scalar(.int)),
                    Field("done", .scalar(.boolean)),
                ])
        ])
    }

    /// Nil when no model of the schema will do; one that is only read will always.
    init?(of schema: Schema, writable: Bool) {
        for model in schema.models {
            guard model.key.count == 1, let key = model.field(model.key[0]), !key.isList,
                key.type == .scalar(.id) || key.type == .scalar(.string)
            else { continue }
            let links = Set(model.relations.filter(\.holdsForeignKey).flatMap(\.fields))
            let needs = model.fields.filter { $0.isRequired && $0.name != key.name }
            // A required link needs a record of another model first.
            if writable, needs.contains(where: { links.contains($0.name) }) { continue }
            let texts = model.fields.filter {
                $0.type == .scalar(.string) && !$0.isList && !$0.isReadOnly && !$0.isSecret
                    && $0.name != key.name && !links.contains($0.name)
            }
            guard let field = texts.first(where: \.isRequired) ?? texts.first else { continue }
            (self.model, self.field, self.schema) = (model, field, schema)
            return
        }
        return nil
    }

    /// An id of the form most backends take.
    static func id() -> String {
        let digits = RandomBytes.hexadecimal(count: 16)
        var id = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { id += "-" }
            id.append(index == 12 ? "7" : index == 16 ? "8" : digit)
        }
        return id
    }

    /// A whole record.
    func record(_ id: String, _ words: String) -> JSONObject {
        var record = JSONObject([(model.key[0], .string(id)), (field.name, .string(words))])
        for other in model.fields where other.isRequired && !other.isReadOnly {
            if record[other.name] == nil { record.append(other.name, value(of: other)) }
        }
        return record
    }

    private func value(of field: Field) -> JSONValue {
        if field.isList { return [] }
        if let value = field.defaultValue?.unlessNull { return value }
        switch field.type {
        case .enumeration(let name):
            return .string(schema.enumType(name)?.values.first ?? "")
        case .nested(let name):
            let fields = schema.nestedType(name)?.fields.filter(\.isRequired) ?? []
            return .object(JSONObject(fields.map { ($0.name, value(of: $0)) }))
        case .scalar(let scalar): return Self.value(of: scalar)
        }
    }

    private static func value(of scalar: Scalar) -> JSONValue {
        switch scalar {
        case .id, .string: "satchel plugin test"
        case .int: 7
        case .float: .double(1.5)
        case .boolean: true
        case .date: "2024-01-31"
        case .time: "12:30:00"
        case .dateTime: "2024-01-31T12:30:00.000Z"
        case .timestamp: 1_706_704_200
        case .email: "kit@example.com"
        case .json: "{}"
        case .url: "https://example.com/"
        case .phone: "+15555550100"
        case .ipAddress: "192.0.2.1"
        }
    }
}
