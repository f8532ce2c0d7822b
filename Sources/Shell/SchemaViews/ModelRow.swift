internal import JSON
internal import Records

/// A field or a relation of a model, as `schema show MODEL` lists it.
struct ModelRow: Listed {
    let name: String
    let type: String
    let about: String

    static let keys = ["field", "type", "about"]
    static var columns: [Column] { Column.values("field", "type", "about") }
    var values: [JSONValue] { [.string(name), .string(type), .string(about)] }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(name) }

    init(_ field: Field, of model: Model) {
        name = field.name
        type = field.typeText
        var notes: [String] = []
        if model.key.contains(where: { $0.sameBytes(as: field.name) }) { notes.append("key") }
        if let value = field.defaultValue {
            notes.append("default \(value.text ?? value.serialized())")
        }
        if field.isReadOnly { notes.append("set by the backend") }
        if field.isSecret { notes.append("secret") }
        for index in model.indexes where index.fields.first == field.name {
            notes.append("index \(index.name)")
        }
        about = notes.joined(separator: ", ")
    }

    init(_ relation: Relation) {
        name = relation.name
        let isMany = relation.kind == .hasMany || relation.kind == .manyToMany
        type = (isMany ? "[\(relation.model)]" : relation.model) + (relation.isRequired ? "!" : "")
        let key = (relation.holdsForeignKey ? relation.fields : relation.references)
            .joined(separator: ", ")
        about =
            switch (relation.kind, relation.holdsForeignKey) {
            case (.manyToMany, _): "many to many, by \(relation.join ?? "a join model")"
            case (.belongsTo, _): "belongs to, by \(key)"
            case (.hasOne, true): "has one, by \(key)"
            case (.hasOne, false): "has one, by its \(key)"
            case (.hasMany, _): "has many, by their \(key)"
            }
    }
}
