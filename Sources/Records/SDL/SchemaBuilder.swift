/// Turns what a schema file says into models, and collects what is wrong with it.
struct SchemaBuilder {
    enum TypeKind {
        /// An index into `drafts`.
        case model(Int)
        /// An index into the document's objects.
        case nested(Int)
        case enumeration
        /// A definition that is read over, by its keyword.
        case other(String)
    }

    /// A model on its way: relations are resolved once all fields are known.
    struct Draft {
        var object: SDLObject
        var model: Model
        var relations: [RelationDraft] = []
        /// Values of `@default` by index into the model's fields.
        var defaults: [(field: Int, value: SDLValue)] = []
    }

    struct RelationDraft {
        var field: SDLField
        var kind: Relation.Kind
        var directive: SDLDirective
        /// The other model, an index into `drafts`.
        var target: Int
        var resolved: Relation?
    }

    let document: SDLDocument
    var faults: [SDLFault] = []
    var notes: [SDLNote]
    var kinds: [String: TypeKind] = [:]
    var drafts: [Draft] = []
    private var enums: [EnumType] = []

    init(_ document: SDLDocument) {
        self.document = document
        notes = document.notes
    }

    mutating func build() -> Schema {
        collectNames()
        buildEnums()
        for index in drafts.indices { buildFields(of: index) }
        for index in drafts.indices { buildKeyAndIndexes(of: index) }
        resolveRelations()
        var schema = Schema(
            models: drafts.map(\.model), enums: enums, types: buildNestedTypes())
        for index in schema.models.indices where index < drafts.count {
            setDefaults(of: index, in: &schema)
        }
        return schema
    }

    mutating func report(_ offset: Int, _ message: String, hint: String? = nil) {
        faults.append(SDLFault(offset, message, hint: hint))
    }

    mutating func note(_ offset: Int, _ text: String) {
        notes.append(SDLNote(offset: offset, text: text))
    }
}

// MARK: Names

extension SchemaBuilder {
    private mutating func collectNames() {
        var seen: [String: String] = [:]
        for definition in document.enums where accept(definition.name, "enum", &seen) {
            kinds[definition.name.text] = .enumeration
        }
        for definition in document.others where accept(definition.name, definition.keyword, &seen) {
            kinds[definition.name.text] = .other(definition.keyword)
        }
        for (index, object) in document.objects.enumerated()
        where accept(object.name, "type", &seen) {
            if object.directive("model") != nil {
                kinds[object.name.text] = .model(drafts.count)
                drafts.append(
                    Draft(object: object, model: Model(name: object.name.text, fields: [])))
            } else {
                kinds[object.name.text] = .nested(index)
            }
        }
    }

    /// Checks a definition's name; false when it cannot be used.
    private mutating func accept(
        _ name: SDLName, _ keyword: String, _ seen: inout [String: String]
    ) -> Bool {
        if name.text.utf8.first == UInt8(ascii: "_") {
            report(
                name.offset, "\(keyword) \(name.text): names that begin with \"_\" are reserved",
                hint: "choose another name")
            return false
        }
        if Scalar(rawValue: name.text) != nil {
            if keyword == "scalar" { return false }
            report(
                name.offset, "\(name.text) is the name of a scalar", hint: "choose another name")
            return false
        }
        let folded = name.text.lowercased()
        if let other = seen[folded] {
            if other == name.text {
                report(
                    name.offset, "\(name.text) is defined twice", hint: "remove or rename one")
            } else {
                report(
                    name.offset, "\(name.text) differs from \(other) only by letter case",
                    hint: "rename one")
            }
            return false
        }
        seen[folded] = name.text
        return true
    }

    private mutating func buildEnums() {
        for definition in document.enums {
            var values: [String] = []
            for value in definition.values {
                if ["true", "false", "null"].contains(value.text) {
                    report(
                        value.offset, "\(value.text) cannot be a value of an enum",
                        hint: "choose another name")
                } else if values.contains(value.text) {
                    report(
                        value.offset, "enum \(definition.name.text) has \(value.text) twice",
                        hint: "remove one")
                } else {
                    values.append(value.text)
                }
            }
            if definition.values.isEmpty {
                report(
                    definition.name.offset, "enum \(definition.name.text) has no values",
                    hint: "add one, or remove the enum")
            }
            enums.append(EnumType(name: definition.name.text, values: values))
        }
    }
}
