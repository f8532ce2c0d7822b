/// Directives: which are known, where they stand, and their arguments.
extension SchemaBuilder {
    enum Place { case object, field, nestedField }

    private struct Known {
        var arguments: [String]
        var isForObjects = false
        var isRelation = false
    }

    private static let known: [String: Known] = [
        "model": Known(
            arguments: ["queries", "mutations", "subscriptions", "timestamps"],
            isForObjects: true),
        "primaryKey": Known(arguments: ["sortKeyFields", "name"]),
        "index": Known(arguments: ["name", "sortKeyFields", "queryField", "projection"]),
        "hasOne": Known(arguments: ["fields", "references"], isRelation: true),
        "hasMany": Known(
            arguments: ["indexName", "fields", "references", "limit"], isRelation: true),
        "belongsTo": Known(arguments: ["fields", "references"], isRelation: true),
        "manyToMany": Known(arguments: ["relationName", "limit"], isRelation: true),
        "default": Known(arguments: ["value"]),
        "secret": Known(arguments: []),
        "readOnly": Known(arguments: []),
    ]

    func isRelation(_ directive: SDLDirective) -> Bool {
        switch directive.name.text {
        case "hasOne", "hasMany", "belongsTo", "manyToMany": true
        default: false
        }
    }

    mutating func checkDirectives(_ directives: [SDLDirective], on place: Place) {
        for (index, directive) in directives.enumerated() {
            let name = directive.name
            guard let known = SchemaBuilder.known[name.text] else {
                reportUnknown(directive)
                continue
            }
            if known.isForObjects != (place == .object) {
                report(
                    name.offset,
                    "@\(name.text) stands on a \(known.isForObjects ? "type" : "field"), not here",
                    hint: "move it")
            } else if place == .nestedField, name.text != "secret" {
                report(
                    name.offset, "@\(name.text) stands only on a field of a model",
                    hint: "remove it")
            }
            if name.text != "index",
                directives[..<index].contains(where: { $0.name.text == name.text })
            {
                report(name.offset, "@\(name.text) is given twice", hint: "remove one")
            }
            for argument in directive.arguments where !known.arguments.contains(argument.name.text)
            {
                let meant = didYouMean(argument.name.text, among: known.arguments)
                report(
                    argument.name.offset, "@\(name.text) has no argument \(argument.name.text)",
                    hint: meant.map { "did you mean \($0)?" }
                        ?? (known.arguments.isEmpty
                            ? "it takes none"
                            : "it takes \(known.arguments.joined(separator: ", "))"))
            }
        }
    }

    private mutating func reportUnknown(_ directive: SDLDirective) {
        let name = directive.name
        switch name.text {
        case "auth":
            note(name.offset, "@auth has no effect here: the backend decides who may do what")
        case "key":
            report(
                name.offset, "@key is of an older Amplify",
                hint: "write @primaryKey or @index on the field")
        case "connection":
            report(
                name.offset, "@connection is of an older Amplify",
                hint: "write @hasOne, @hasMany or @belongsTo")
        case "deprecated": break
        default:
            let meant = didYouMean(name.text, among: SchemaBuilder.known.keys.sorted())
            note(
                name.offset,
                "@\(name.text) has no effect here"
                    + (meant.map { "; did you mean @\($0)?" } ?? ""))
        }
    }

    /// An argument that is a list of names, or one name; nil when absent or wrong (reported).
    mutating func names(_ argument: String, of directive: SDLDirective) -> [String]? {
        guard let value = directive.argument(argument) else { return nil }
        let elements: [SDLValue]
        switch value.kind {
        case .string: elements = [value]
        case .list(let values): elements = values
        default: elements = []
        }
        var names: [String] = []
        for element in elements {
            guard case .string(let name) = element.kind else {
                reportNames(argument, directive, at: element.offset)
                return nil
            }
            names.append(name)
        }
        if names.isEmpty, argument != "sortKeyFields" {
            reportNames(argument, directive, at: value.offset)
            return nil
        }
        return names
    }

    private mutating func reportNames(_ argument: String, _ directive: SDLDirective, at offset: Int)
    {
        report(
            offset, "@\(directive.name.text): \(argument) is a list of field names",
            hint: "write \(argument): [\"name\"]")
    }

    /// An argument that is a text; nil when absent or wrong (reported).
    mutating func text(_ argument: String, of directive: SDLDirective) -> String? {
        guard let value = directive.argument(argument) else { return nil }
        guard case .string(let text) = value.kind, !text.isEmpty else {
            report(
                value.offset, "@\(directive.name.text): \(argument) is a text",
                hint: "write \(argument): \"...\"")
            return nil
        }
        return text
    }
}
