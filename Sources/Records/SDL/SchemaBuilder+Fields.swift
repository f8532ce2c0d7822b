internal import JSON

/// Fields of models and of nested types.
extension SchemaBuilder {
    mutating func buildFields(of index: Int) {
        let object = drafts[index].object
        checkDirectives(object.directives, on: .object)
        if object.fields.isEmpty {
            report(
                object.name.offset, "model \(object.name.text) has no fields",
                hint: "add one, such as name: String")
        }
        checkNames(of: object)
        var fields: [Field] = []
        var offsets: [String: Int] = [:]
        for field in object.fields where offsets[field.name.text] == nil {
            offsets[field.name.text] = field.name.offset
            checkDirectives(field.directives, on: .field)
            if case .model(let target)? = kinds[field.type.name.text] {
                addRelation(field, of: index, to: target)
            } else if let type = storedType(of: field, in: object) {
                if let value = field.directive("default")?.argument("value") {
                    drafts[index].defaults.append((fields.count, value))
                }
                fields.append(makeField(field, type))
            }
        }
        addTimestamps(of: object, to: &fields)
        let hasKey = object.fields.contains { $0.directive("primaryKey") != nil }
        if !hasKey, offsets["id"] == nil {
            fields.insert(Field("id", .scalar(.id), isRequired: true), at: 0)
            for position in drafts[index].defaults.indices {
                drafts[index].defaults[position].field += 1
            }
        }
        drafts[index].model.fields = fields
    }

    /// The nested types that models reach, in file order.
    mutating func buildNestedTypes() -> [NestedType] {
        var reached: Set<String> = []
        var pending = drafts.flatMap { $0.object.fields.map(\.type.name.text) }
        while let name = pending.popLast() {
            guard case .nested(let index)? = kinds[name], reached.insert(name).inserted else {
                continue
            }
            pending += document.objects[index].fields.map(\.type.name.text)
        }
        var types: [NestedType] = []
        for (index, object) in document.objects.enumerated() {
            guard case .nested(index)? = kinds[object.name.text].flatMap(sameIndex(index)) else {
                continue
            }
            if reached.contains(object.name.text) {
                types.append(buildNestedType(object))
            } else {
                note(
                    object.name.offset,
                    "type \(object.name.text) is left out: no model uses it (a model needs @model)"
                )
            }
        }
        checkEndlessNesting(types)
        return types
    }

    private func sameIndex(_ index: Int) -> (TypeKind) -> TypeKind? {
        { if case .nested(index) = $0 { $0 } else { nil } }
    }

    private mutating func buildNestedType(_ object: SDLObject) -> NestedType {
        checkDirectives(object.directives, on: .object)
        if object.fields.isEmpty {
            report(
                object.name.offset, "type \(object.name.text) has no fields",
                hint: "add one, such as name: String")
        }
        checkNames(of: object)
        var fields: [Field] = []
        for field in object.fields where !fields.contains(where: { $0.name == field.name.text }) {
            checkDirectives(field.directives, on: .nestedField)
            if case .model? = kinds[field.type.name.text] {
                report(
                    field.type.name.offset,
                    "type \(object.name.text) is no model, so it cannot hold \(field.type.name.text)",
                    hint: "add @model to \(object.name.text), or keep an ID there")
            } else if let type = storedType(of: field, in: object) {
                fields.append(makeField(field, type))
            }
        }
        return NestedType(name: object.name.text, fields: fields)
    }

    private func makeField(_ field: SDLField, _ type: FieldType) -> Field {
        Field(
            field.name.text, type, isList: field.type.isList, isRequired: field.type.isRequired,
            hasRequiredElements: field.type.hasRequiredElements,
            isReadOnly: field.directive("readOnly") != nil,
            isSecret: field.directive("secret") != nil)
    }

    /// `@model(timestamps: {createdAt: "createdOn"})` declares fields that the backend sets.
    private mutating func addTimestamps(of object: SDLObject, to fields: inout [Field]) {
        guard let value = object.directive("model")?.argument("timestamps"),
            case .object(let members) = value.kind
        else { return }
        for member in members {
            guard case .string(let name) = member.value.kind,
                !object.fields.contains(where: { $0.name.text == name })
            else { continue }
            fields.append(Field(name, .scalar(.dateTime), isReadOnly: true))
        }
    }

    private mutating func checkNames(of object: SDLObject) {
        var seen: [String: SDLName] = [:]
        for field in object.fields {
            let name = field.name
            let path = "\(object.name.text).\(name.text)"
            if name.text.utf8.first == UInt8(ascii: "_") {
                report(
                    name.offset, "\(path): names that begin with \"_\" are reserved",
                    hint: "choose another name")
            }
            let folded = name.text.lowercased()
            if let other = seen[folded] {
                report(
                    name.offset,
                    other.text == name.text
                        ? "\(path) is declared twice"
                        : "\(path) differs from \(other.text) only by letter case",
                    hint: "remove or rename one")
            }
            seen[folded] = name
        }
    }

    /// What a field that is no relation holds; nil when that was reported.
    private mutating func storedType(of field: SDLField, in object: SDLObject) -> FieldType? {
        let name = field.type.name
        if let relation = field.directives.first(where: { isRelation($0) }) {
            let kind =
                switch kinds[name.text] {
                case .nested: "a type without @model"
                case .enumeration: "an enum"
                case .other(let keyword): "declared as \(keyword)"
                default: Scalar(rawValue: name.text) == nil ? "unknown" : "a scalar"
                }
            report(
                relation.name.offset,
                "\(object.name.text).\(field.name.text): @\(relation.name.text) needs a model, "
                    + "but \(name.text) is \(kind)",
                hint: unknownTypeHint(name.text, modelsOnly: true))
            return nil
        }
        if let scalar = Scalar(rawValue: name.text) { return .scalar(scalar) }
        switch kinds[name.text] {
        case .enumeration: return .enumeration(name.text)
        case .nested: return .nested(name.text)
        case .other(let keyword):
            report(
                name.offset,
                "\(object.name.text).\(field.name.text): \(keyword) \(name.text) has no values here",
                hint: "use a scalar such as String or AWSJSON, an enum, or a type")
        case .model, nil:
            report(
                name.offset, "unknown type \(name.text)",
                hint: unknownTypeHint(name.text, modelsOnly: false))
        }
        return nil
    }

    private func unknownTypeHint(_ name: String, modelsOnly: Bool) -> String {
        if modelsOnly {
            let models = drafts.map(\.model.name)
            if let meant = didYouMean(name, among: models) { return "did you mean \(meant)?" }
            return models.isEmpty ? "add @model to it" : "the models are \(someOf(models))"
        }
        let known = [
            "Date": "AWSDate", "DateTime": "AWSDateTime", "Time": "AWSTime", "JSON": "AWSJSON",
            "Timestamp": "AWSTimestamp", "Email": "AWSEmail", "URL": "AWSURL", "Phone": "AWSPhone",
            "Long": "Int", "Integer": "Int", "Double": "Float", "Number": "Float",
            "Bool": "Boolean", "UUID": "ID", "Text": "String",
        ]
        if let scalar = known[name] { return "did you mean \(scalar)?" }
        let names = Scalar.allCases.map(\.rawValue) + kinds.keys.sorted()
        if let meant = didYouMean(name, among: names) { return "did you mean \(meant)?" }
        return "define type or enum \(name), or use a scalar"
    }

    private mutating func checkEndlessNesting(_ types: [NestedType]) {
        for type in types {
            var path: [String] = []
            var next: String? = type.name
            while let name = next, !path.contains(name) {
                path.append(name)
                next =
                    types.first { $0.name == name }?.fields.lazy.compactMap {
                        if case .nested(let inner) = $0.type, $0.isRequired, !$0.isList {
                            inner
                        } else {
                            nil
                        }
                    }.first
            }
            if next == type.name, case .nested(let index)? = kinds[type.name] {
                report(
                    document.objects[index].name.offset,
                    "type \(type.name) requires itself, so no value is finite",
                    hint: "make one of \((path + [type.name]).joined(separator: " > ")) optional")
            }
        }
    }

    mutating func setDefaults(of index: Int, in schema: inout Schema) {
        for (position, value) in drafts[index].defaults {
            let field = schema.models[index].fields[position]
            let text: String
            switch value.kind {
            case .string(let content), .word(let content): text = content
            case .list, .object:
                report(
                    value.offset, "the value of @default is a text",
                    hint: "write @default(value: \"...\")")
                continue
            }
            if field.isList || field.isNested {
                report(
                    value.offset, "@default is for single values, and \(field.name) is not one",
                    hint: "remove @default")
                continue
            }
            do throws(RecordsError) {
                schema.models[index].fields[position].defaultValue =
                    try field.coerce(text: text, in: schema)
            } catch {
                report(value.offset, "@default of \(error.message)", hint: error.hint)
            }
        }
    }
}

/// The first few of `names`, for a hint.
func someOf(_ names: [String]) -> String {
    names.count > 8
        ? names.prefix(8).joined(separator: ", ") + ", ..." : names.joined(separator: ", ")
}
