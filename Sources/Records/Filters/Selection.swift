internal import JSON

extension SortKey {
    /// Reads a `sort` clause such as `-rating,author.name`; a minus puts the greatest first.
    package static func parse(_ text: String, model: Model, schema: Schema)
        throws(RecordsError) -> [SortKey]
    {
        var keys: [SortKey] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let word = word.drop { $0 == " " }
            let isDescending = word.utf8.first == UInt8(ascii: "-")
            keys.append(
                try SortKey(
                    String(isDescending ? word.dropFirst() : word), descending: isDescending,
                    model: model, schema: schema))
        }
        return keys
    }

    /// One key by its path: a field, one across relations to single records, or
    /// `comments.count`.
    package init(_ text: String, descending: Bool, model: Model, schema: Schema)
        throws(RecordsError)
    {
        var names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let last = names.removeLast()
        var holder = model
        for (index, name) in names.enumerated() {
            guard let relation = holder.relation(name), let other = schema.model(relation.model)
            else { throw holder.noRelation(name) }
            if relation.isToMany {
                if last.sameBytes(as: "count"), index == names.count - 1 {
                    self.init(Filter.Path(names, last), descending: descending)
                    return
                }
                throw RecordsError(
                    .value, "\(name) of \(holder.name) has several records: none to sort by",
                    hint: "sort by \(name).count")
            }
            holder = other
        }
        guard let field = holder.field(last) else {
            if let relation = holder.relation(last) {
                throw RecordsError(
                    .unknown, "\(last) of \(holder.name) is a relation: it has no order",
                    hint: relation.isToMany
                        ? "sort by \(text).count" : "sort by a field, as in \(text).id")
            }
            throw holder.unknownField(last)
        }
        if field.isList || field.isNested || field.type == .scalar(.json) {
            throw RecordsError(.value, "\(text) is \(field.typeText): it has no order")
        }
        self.init(Filter.Path(names, last), descending: descending)
    }
}

extension Model {
    /// Reads a `fields` clause such as `title,rating`.
    ///
    /// - Throws: Kind `.unknown` for a name that is no field.
    package func selection(_ text: String) throws(RecordsError) -> [Field] {
        var selected: [Field] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(name.drop { $0 == " " })
            guard let field = field(name) else { throw unknownField(name) }
            if selected.contains(where: { $0.name.sameBytes(as: name) }) { throw twice(name) }
            selected.append(field)
        }
        return selected
    }

    /// Reads an `include` clause such as `author,comments.author`: paths of relations.
    ///
    /// - Throws: Kind `.unknown` for a step that is no relation.
    package func inclusion(_ text: String, in schema: Schema) throws(RecordsError) -> [[String]] {
        var paths: [[String]] = []
        for path in text.split(separator: ",", omittingEmptySubsequences: false) {
            var holder = self
            var names: [String] = []
            let path = path.drop { $0 == " " }
            for name in path.split(separator: ".", omittingEmptySubsequences: false) {
                let name = String(name)
                guard let relation = holder.relation(name), let other = schema.model(relation.model)
                else { throw holder.noRelation(name) }
                names.append(name)
                holder = other
            }
            paths.append(names)
        }
        return paths
    }

    fileprivate func noRelation(_ word: String) -> RecordsError {
        let names = relations.map(\.name)
        return RecordsError(
            .unknown, "\(name) has no relation \(quoted(word))",
            hint: didYouMean(word, among: names).map { "did you mean \($0)?" }
                ?? (names.isEmpty ? "it has none" : "its relations are \(someOf(names))"))
    }
}
