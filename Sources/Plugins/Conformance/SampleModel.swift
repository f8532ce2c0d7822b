internal import JSON
internal import Platform
internal import Records

/// A model the kit can make records of.
struct SampleModel {
    let model: Model
    /// A text that may be written.
    let field: Field
    let schema: Schema

    /// What plugins are offered that take any model.
    static var offered: Schema {
        Schema(
            models: [
                Model(
                    name: "Note",
                    fields: [
                        Field("id", .scalar(.id), isRequired: true),
                        Field("title", .scalar(.string), isRequired: true),
                        Field("body", .scalar(.string)), Field("rating", .scalar(.int)),
                        Field("done", .scalar(.boolean)), Field("score", .scalar(.float)),
                        Field("state", .enumeration("NoteState")),
                        Field("tags", .scalar(.string), isList: true),
                        Field("counts", .scalar(.int), isList: true),
                        Field("place", .nested("NotePlace")), Field("extra", .scalar(.json)),
                        Field("day", .scalar(.date)), Field("hour", .scalar(.time)),
                        Field("moment", .scalar(.dateTime)), Field("stamp", .scalar(.timestamp)),
                        Field("email", .scalar(.email)), Field("link", .scalar(.url)),
                        Field("phone", .scalar(.phone)), Field("address", .scalar(.ipAddress)),
                        Field("other", .scalar(.id)),
                    ])
            ],
            enums: [EnumType(name: "NoteState", values: ["OPEN", "DONE"])],
            types: [
                NestedType(
                    name: "NotePlace",
                    fields: [
                        Field("name", .scalar(.string)), Field("floor", .scalar(.int)),
                        Field("open", .scalar(.boolean)),
                        Field("rooms", .scalar(.string), isList: true),
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

    /// The fields that may be written and do not point at another record, the first 40.
    var fields: ArraySlice<Field> {
        let links = Set(model.relations.filter(\.holdsForeignKey).flatMap(\.fields))
        return model.fields.filter {
            !$0.isReadOnly && !$0.isSecret && $0.name != model.key[0] && !links.contains($0.name)
        }.prefix(40)
    }

    /// A value for each field that has one of the kind.
    func values(_ kind: SampleValues) -> [(field: Field, value: JSONValue)] {
        fields.compactMap { field in
            guard let value = kind.value(of: field, in: schema) else { return nil }
            return (field, value)
        }
    }

    private func value(of field: Field) -> JSONValue {
        if field.isList { return [] }
        if let value = field.defaultValue?.unlessNull { return value }
        return SampleValues.usual.value(of: field, in: schema) ?? ""
    }
}
