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
        let repeated = checkNames(of: object)
        var fields: [Field] = []
        fields.reserveCapacity(object.fields.count + 1)
        for (place, field) in object.fields.enumerated() where !repeated.contains(place) {
            checkDirectives(field.directives, on: .field)
            let scalar = Scalar(rawValue: field.type.name.text)
            if scalar == nil, case .model(let target)? = kinds[field.type.name.text] {
                addRelation(field, of: index, to: target)
            } else if let type = storedType(of: field, scalar, in: object) {
                if let value = field.directive("default")?.argument("value") {
                    drafts[index].defaults.append((fields.count, value))
                }
                fields.append(makeField(field, type))
            }
        }
        addTimestamps(of: object, to: &fields)
        let hasKey = object.fields.contains { $0.directive("primaryKey") != nil }
        if !hasKey, !object.fields.contains(where: { $0.name.text == "id" }) {
            fields.insert(Field("id", .scalar(.id), isRequired: true), at: 0)
            for position in drafts[index].defaults.indices {
                drafts[index].defaults[position].field += 1
            }
        }
        drafts[index].model.fields = fields
        buildRenames(of: index)
    }

    /// The nested types that models reach, in file order.
    mutating func buildNestedTypes() -> [NestedType] {
        var isReached = [Bool](repeating: false, count: document.objects.count)
        var pending: [Int] = []
        for draft in drafts {
            for field in draft.model.fields {
                if case .nested(let name) = field.type, case .nested(let index)? = kinds[name] {
                    pending.append(index)
                }
            }
        }
        while let index = pending.popLast() {
            if isReached[index] { continue }
            isReached[index] = true
            for field in document.objects[index].fields {
                if case .nested(let inner)? = kinds[field.type.name.text] { pending.append(inner) }
            }
        }
        var types: [NestedType] = []
        for (index, object) in document.objects.enumerated() where isNested(index, object) {
            if isReached[index] {
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

    /// False for models, and for a second type of one name.
    private func isNested(_ index: Int, _ object: SDLObject) -> Bool {
        if object.directive("model") != nil { return false }
        return if case .nested(let other)? = kinds[object.name.text] { other == index } else {
            false
        }
    }

    private mutating func buildNestedType(_ object: SDLObject) -> NestedType {
        checkDirectives(object.directives, on: .object)
        if object.fields.isEmpty {
            report(
                object.name.offset, "type \(object.name.text) has no fields",
                hint: "add one, such as name: String")
        }
        let repeated = checkNames(of: object)
        var fields: [Field] = []
        fields.reserveCapacity(object.fields.count)
        for (place, field) in object.fields.enumerated() where !repeated.contains(place) {
            checkDirectives(field.directives, on: .nestedField)
            let scalar = Scalar(rawValue: field.type.name.text)
            if scalar == nil, case .model? = kinds[field.type.name.text] {
                report(
                    field.type.name.offset,
                    "type \(object.name.text) is no model, so it cannot hold \(field.type.name.text)",
                    hint: "add @model to \(object.name.text), or keep an ID there")
            } else if let type = storedType(of: field, scalar, in: object) {
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

    /// Reports names that are reserved or not unique; returns the places of repeated ones.
    ///
    /// Objects have tens of fields: comparing all pairs beats hashing them.
    private mutating func checkNames(of object: SDLObject) -> [Int] {
        var repeated: [Int] = []
        for (place, field) in object.fields.enumerated() {
            let name = field.name
            if name.text.utf8.first == UInt8(ascii: "_") {
                report(
                    name.offset,
                    "\(object.name.text).\(name.text): names that begin with \"_\" are reserved",
                    hint: "choose another name")
            }
            guard
                let other = object.fields[..<place].first(where: {
                    isSameName($0.name.text, name.text)
                })
            else { continue }
            let path = "\(object.name.text).\(name.text)"
            if other.name.text == name.text { repeated.append(place) }
            report(
                name.offset,
                other.name.text == name.text
                    ? "\(path) is declared twice"
                    : "\(path) differs from \(other.name.text) only by letter case",
                hint: "remove or rename one")
        }
        return repeated
    }

    /// What a field that is no relation holds; nil when that was reported.
    private mutating func storedType(
        of field: SDLField, _ scalar: Scalar?, in object: SDLObject
    ) -> FieldType? {
        let name = field.type.name
        if let relation = field.directives.first(where: { isRelation($0) }) {
            let kind =
                switch kinds[name.text] {
                case .nested: "a type without @model"
                case .enumeration: "an enum"
                case .other(let keyword): "declared as \(keyword)"
                default: scalar == nil ? "unknown" : "a scalar"
                }
            report(
                relation.name.offset,
                "\(object.name.text).\(field.name.text): @\(relation.name.text) needs a model, "
                    + "but \(name.text) is \(kind)",
                hint: unknownTypeHint(name.text, modelsOnly: true))
            return nil
        }
        if let scalar { return .scalar(scalar) }
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

/// True when two names of ASCII letters differ at most in letter case.
func isSameName(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    for (a, b) in zip(left.utf8, right.utf8) where a != b {
        guard a ^ b == 0x20, (a | 0x20) &- UInt8(ascii: "a") < 26 else { return false }
    }
    return true
}
