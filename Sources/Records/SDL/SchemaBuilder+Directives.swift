/// Directives: which are known, where they stand, and their arguments.
extension SchemaBuilder {
    enum Place { case object, field, nestedField }

    private struct Known {
        var arguments: [String]
        var isForObjects = false
        var isForBoth = false
    }

    private static let model = Known(
        arguments: ["queries", "mutations", "subscriptions", "timestamps"], isForObjects: true)
    private static let primaryKey = Known(arguments: ["sortKeyFields", "name"])
    private static let index = Known(
        arguments: ["name", "sortKeyFields", "queryField", "projection"])
    private static let single = Known(arguments: ["fields", "references"])
    private static let hasMany = Known(
        arguments: ["indexName", "fields", "references", "limit"])
    private static let manyToMany = Known(arguments: ["relationName", "limit"])
    private static let value = Known(arguments: ["value"])
    private static let mark = Known(arguments: [])
    private static let renamed = Known(arguments: ["from"], isForBoth: true)

    private static let names = [
        "model", "primaryKey", "index", "hasOne", "hasMany", "belongsTo", "manyToMany", "default",
        "secret", "readOnly", "renamed",
    ]

    private static func known(_ name: String) -> Known? {
        switch name {
        case "model": model
        case "primaryKey": primaryKey
        case "index": index
        case "hasOne", "belongsTo": single
        case "hasMany": hasMany
        case "manyToMany": manyToMany
        case "default": value
        case "secret", "readOnly": mark
        case "renamed": renamed
        default: nil
        }
    }

    func isRelation(_ directive: SDLDirective) -> Bool {
        switch directive.name.text {
        case "hasOne", "hasMany", "belongsTo", "manyToMany": true
        default: false
        }
    }

    /// True for a known directive that says something about a stored value.
    static func isForValues(_ directive: SDLDirective) -> Bool {
        switch directive.name.text {
        case "default", "secret", "readOnly", "primaryKey", "index", "renamed": true
        default: false
        }
    }

    mutating func checkDirectives(_ directives: [SDLDirective], on place: Place) {
        for (index, directive) in directives.enumerated() {
            let name = directive.name
            guard let known = SchemaBuilder.known(name.text) else {
                reportUnknown(directive)
                continue
            }
            if !known.isForBoth, known.isForObjects != (place == .object) {
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
            let meant = didYouMean(name.text, among: SchemaBuilder.names)
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
