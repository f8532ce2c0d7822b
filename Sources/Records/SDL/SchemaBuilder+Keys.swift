/// Primary keys and secondary indexes.
extension SchemaBuilder {
    mutating func buildKeyAndIndexes(of index: Int) {
        let draft = drafts[index]
        var key: [String]?
        var indexes: [Index] = []
        for field in draft.object.fields {
            for directive in field.directives {
                switch directive.name.text {
                case "primaryKey":
                    if key != nil {
                        report(
                            directive.name.offset, "\(draft.model.name) has two @primaryKey",
                            hint: "name the other fields in sortKeyFields")
                    }
                    key = keyFields(directive, on: field, of: draft.model)
                case "index":
                    let fields = keyFields(directive, on: field, of: draft.model)
                    let name = text("name", of: directive) ?? indexName(draft.model.name, fields)
                    if indexes.contains(where: { $0.name == name }) {
                        report(
                            directive.name.offset, "\(draft.model.name) has two indexes \(name)",
                            hint: "rename one")
                    }
                    indexes.append(Index(name: name, fields: fields))
                default: break
                }
            }
        }
        drafts[index].model.indexes = indexes
        drafts[index].model.key = key ?? ["id"]
        checkKey(of: index)
    }

    private mutating func keyFields(
        _ directive: SDLDirective, on field: SDLField, of model: Model
    ) -> [String] {
        let sortKeys = names("sortKeyFields", of: directive) ?? []
        for name in sortKeys where model.field(name) == nil {
            report(
                directive.argument("sortKeyFields")?.offset ?? directive.name.offset,
                "\(model.name) has no field \(name) to store",
                hint: fieldHint(name, model))
        }
        return [field.name.text] + sortKeys.filter { model.field($0) != nil }
    }

    private mutating func checkKey(of index: Int) {
        let model = drafts[index].model
        for (place, name) in model.key.enumerated() {
            guard let position = model.fieldIndex(name) else { continue }
            let field = model.fields[position]
            let offset = self.offset(of: name, in: index)
            if !field.canBeKey {
                report(
                    offset, "\(model.name).\(name) cannot be a key: it is \(field.typeText)",
                    hint: "keys are ID, String, Int, dates or enums")
            } else if !field.isRequired, model.key.count > 1 || place > 0 || name != "id" {
                report(
                    offset, "\(model.name).\(name) is a key, so it is required",
                    hint: "write \(name): \(field.typeText)!")
            }
            drafts[index].model.fields[position].isRequired = true
        }
    }

    /// Where a field of a model is declared; where the model is, if it is implicit.
    func offset(of field: String, in index: Int) -> Int {
        let object = drafts[index].object
        return object.fields.first { $0.name.text == field }?.name.offset ?? object.name.offset
    }

    func fieldHint(_ name: String, _ model: Model) -> String {
        let names = model.fields.map(\.name)
        return didYouMean(name, among: names).map { "did you mean \($0)?" }
            ?? "its fields are \(someOf(names))"
    }

    /// Amplify's name for an index without one, such as `customersByAccountAndName`.
    private func indexName(_ model: String, _ fields: [String]) -> String {
        fields.enumerated().reduce(lowerFirst(model) + "s") {
            $0 + ($1.offset == 0 ? "By" : "And") + upperFirst($1.element)
        }
    }
}

func lowerFirst(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }
func upperFirst(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

extension Field {
    var isNested: Bool { if case .nested = type { true } else { false } }

    /// The type as SDL writes it, without the final `!`.
    var typeText: String {
        let name =
            switch type {
            case .scalar(let scalar): scalar.rawValue
            case .enumeration(let name), .nested(let name): name
            }
        return isList ? "[\(name)\(hasRequiredElements ? "!" : "")]" : name
    }

    var canBeKey: Bool {
        if isList { return false }
        switch type {
        case .scalar(.float), .scalar(.boolean), .scalar(.json), .nested: return false
        case .scalar, .enumeration: return true
        }
    }
}
