/// What a condition asks about: the end of a path.
extension FilterParser {
    enum Subject {
        case value(Filter.Path, Field)
        case state(Filter.Path)
        case version(Filter.Path)
        /// A relation whose foreign key is held here.
        case reference([String], Relation, of: Model)
    }

    func subject(_ names: [(name: String, offset: Int)]) throws(RecordsError) -> Subject {
        var model = self.model
        var relations: [String] = []
        var isToMany = false
        for (name, offset) in names.dropLast() {
            guard let relation = model.relation(name), let other = schema.model(relation.model)
            else { throw noRelation(name, offset, model) }
            relations.append(name)
            isToMany = relation.isToMany
            model = other
        }
        guard let (name, offset) = names.last else { return .state(Filter.Path([], "_state")) }
        let path = Filter.Path(relations, name)
        if name == "_state" { return .state(path) }
        if name == "_version" { return .version(path) }
        if name == "count", isToMany { return .value(path, Field(name, .scalar(.int))) }
        if let field = model.field(name) { return .value(path, field) }
        guard let relation = model.relation(name) else { throw noField(name, offset, model) }
        guard relation.holdsForeignKey else {
            throw scanner.error(
                offset, "\(name) is a relation: its records hold the key",
                relation.isToMany
                    ? "ask for \(name).count, or for a field such as \(name).id"
                    : "ask for a field such as \(name).id")
        }
        return .reference(relations, relation, of: model)
    }

    private func noRelation(_ name: String, _ offset: Int, _ model: Model) -> RecordsError {
        let names = model.relations.map(\.name)
        if model.field(name) != nil {
            return scanner.error(
                offset, "\(name) of \(model.name) is no relation, so nothing follows it",
                "a dot crosses relations" + (names.isEmpty ? "" : ": \(someOf(names))"),
                kind: .unknown)
        }
        return scanner.error(
            offset, "\(model.name) has no relation \(quoted(name))",
            didYouMean(name, among: names).map { "did you mean \($0)?" }
                ?? (names.isEmpty ? "it has none" : "its relations are \(someOf(names))"),
            kind: .unknown)
    }

    private func noField(_ name: String, _ offset: Int, _ model: Model) -> RecordsError {
        let names = model.fields.map(\.name) + model.relations.map(\.name)
        let meant =
            name.utf8.first == UInt8(ascii: "_")
            ? didYouMean(name, among: ["_state", "_version"]) : didYouMean(name, among: names)
        return scanner.error(
            offset, "\(model.name) has no field \(quoted(name))",
            meant.map { "did you mean \($0)?" }
                ?? "its fields are \(someOf(model.fields.map(\.name)))",
            kind: .unknown)
    }
}

extension Relation {
    /// True when a record may have several of the other model.
    package var isToMany: Bool { kind == .hasMany || kind == .manyToMany }
}
