/// `@renamed(from: "old")` on a model or on a field of one.
extension SchemaBuilder {
    mutating func buildRenames(of index: Int) {
        let object = drafts[index].object
        if let directive = object.directive("renamed") {
            drafts[index].model.renamedFrom = formerName(
                directive, of: object.name.text,
                taken: document.objects.filter { $0.directive("model") != nil }.map(\.name.text))
        }
        var claimed: [String] = []
        for field in object.fields {
            guard let directive = field.directive("renamed"),
                let position = drafts[index].model.fieldIndex(field.name.text),
                let name = formerName(
                    directive, of: "\(object.name.text).\(field.name.text)",
                    taken: object.fields.map(\.name.text) + claimed)
            else { continue }
            claimed.append(name)
            drafts[index].model.fields[position].renamedFrom = name
        }
    }

    /// The name that a directive gives; nil when it is none that could have been (reported).
    private mutating func formerName(
        _ directive: SDLDirective, of path: String, taken: [String]
    ) -> String? {
        guard directive.argument("from") != nil else {
            report(
                directive.name.offset, "\(path): @renamed does not say what the name was",
                hint: "write @renamed(from: \"...\")")
            return nil
        }
        guard let name = text("from", of: directive) else { return nil }
        guard !taken.contains(name) else {
            report(
                directive.argument("from")?.offset ?? directive.name.offset,
                "\(path): \(name) is still there, so it cannot have become this",
                hint: "remove \(name), or the directive")
            return nil
        }
        return name
    }
}
