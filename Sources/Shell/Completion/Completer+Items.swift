internal import Records

extension Completer {
    /// Candidates for an item: a field's name with its operator, or the field's value.
    ///
    /// - Parameters:
    ///   - current: What was typed of it.
    ///   - typed: The command.
    ///   - start: Where the command's items can begin.
    ///   - only: The names of the fields that may be given; nil for all.
    /// - Returns: Whole items.
    func items(
        _ current: String, _ typed: TypedCommand, from start: Int, only: [String]? = nil
    ) -> Completions {
        guard let model = typed.model(data) else { return .none }
        if let item = ItemText(current) { return value(of: item, in: model) }
        let taken = typed.words.dropFirst(start).compactMap { ItemText($0)?.name }
        var names: [Candidate] = []
        for field in model.fields where !field.isReadOnly && !taken.contains(field.name) {
            if let only, !only.contains(field.name) { continue }
            names.append(Candidate("\(field.name)=", field.typeText))
        }
        if only == nil {
            for relation in model.relations
            where relation.holdsForeignKey && !taken.contains(relation.name) {
                names.append(Candidate("\(relation.name)=", relation.model))
            }
        }
        return Completions(matching(current, names), goesOn: true)
    }

    private func value(of item: ItemText, in model: Model) -> Completions {
        if item.isFile { return files(item.value).prefixed(with: item.before) }
        let values = values(of: item.name, in: model, typed: item.value)
        return Completions(values).prefixed(with: item.before)
    }

    /// Values a field can have, or the ids a relation can lead to.
    func values(of name: String, in model: Model, typed: String) -> [Candidate] {
        if let target = target(of: name, in: model) {
            return data.ids(of: target, prefix: typed, limit: Self.idLimit)
        }
        guard let field = model.field(name) else { return [] }
        switch field.type {
        case .enumeration(let name):
            let values = data.schema?.enumType(name)?.values ?? []
            return matching(typed, values.map { Candidate($0) })
        case .scalar(.boolean):
            return matching(typed, [Candidate("true"), Candidate("false")])
        case .scalar, .nested: return []
        }
    }

    /// The model a relation, or a field that is its foreign key, leads to.
    private func target(of name: String, in model: Model) -> Model? {
        let relation = model.relations.first { relation in
            relation.holdsForeignKey && (relation.name == name || relation.fields == [name])
        }
        return relation.flatMap { data.schema?.model($0.model) }
    }
}

/// An item as far as it is typed: `field=value`.
private struct ItemText {
    /// The field.
    let name: String
    /// The name and the operator.
    let before: String
    let value: String
    /// The value is read from a file.
    let isFile: Bool

    init?(_ text: String) {
        guard text.looksLikeItem, let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return nil
        }
        var start = text.utf8.index(after: sign)
        isFile = start < text.endIndex && text.utf8[start] == UInt8(ascii: "@")
        if isFile { start = text.utf8.index(after: start) }
        before = String(text[..<start])
        value = String(text[start...])
        let key = text[..<sign]
        name = String(key.last.map { ":+-".contains($0) } == true ? key.dropLast() : key)
    }
}
