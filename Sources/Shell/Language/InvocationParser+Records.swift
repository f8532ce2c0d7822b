extension InvocationParser {
    private mutating func model() throws(ShellError) -> String { try first("the MODEL") }

    mutating func list() throws(ShellError) -> Command {
        var request = ListRequest(model: try model())
        try expectNoStrayWords()
        request.filter = try filter()
        request.sort = clauses.sort
        request.limit = clauses.limit
        request.offset = clauses.offset ?? 0
        request.fields = clauses.fields
        request.include = clauses.include
        return .list(request)
    }

    mutating func get() throws(ShellError) -> Command {
        let model = try model()
        guard !words.isEmpty else { throw misused("the ID is missing") }
        var request = GetRequest(model: model, keys: words)
        request.fields = clauses.fields
        request.include = clauses.include
        request.asksBackend = has(.remote)
        return .get(request)
    }

    mutating func count() throws(ShellError) -> Command {
        let model = try model()
        try expectNoStrayWords()
        return .count(CountRequest(model: model, filter: try filter()))
    }

    mutating func create() throws(ShellError) -> Command {
        let model = try model()
        var request = CreateRequest(model: model, values: try values(items: words))
        request.delivers = has(.deliver)
        return .create(request)
    }

    mutating func update() throws(ShellError) -> Command {
        let model = try model()
        let filter = try filter()
        var request: UpdateRequest
        if let filter {
            let (ids, items) = splitAtFirstItem()
            if let id = ids.first {
                throw misused("an ID (\"\(id)\") and a filter exclude each other")
            }
            try expectItems(items)
            request = UpdateRequest(
                model: model, target: .filter(filter), values: try values(items: words))
        } else {
            if clauses.setAt == 1 {
                throw misused("\"update \(model) set\" names no record: give an ID or where E")
            }
            let (ids, items) = splitAtFirstItem()
            try expectItems(items)
            let target: Target? = ids.isEmpty ? nil : .keys(ids)
            request = UpdateRequest(
                model: model, target: target, values: try values(items: items))
            guard target != nil || !items.isEmpty else { throw misused("the ID is missing") }
        }
        guard !request.values.isEmpty else {
            let isCutOff = filter != nil && clauses.setAt == nil
            throw misused(
                isCutOff ? "\"set\" and what to set are missing" : "there is nothing to set")
        }
        request.delivers = has(.deliver)
        return .update(request)
    }

    mutating func delete() throws(ShellError) -> Command {
        let model = try model()
        let target: Target
        if let filter = try filter() {
            try expectNoStrayWords()
            target = .filter(filter)
        } else {
            guard !words.isEmpty else { throw misused("an ID or a filter is missing") }
            target = .keys(words)
        }
        var request = DeleteRequest(model: model, target: target)
        request.cascades = !has(.noCascade)
        request.delivers = has(.deliver)
        return .delete(request)
    }

    mutating func importRecords() throws(ShellError) -> Command {
        let model = has(.all) ? nil : try model()
        var request = ImportRequest(
            model: model, source: InputSource(try only("the FILE (or - for standard input)")))
        if let format = value(.format) {
            request.format = try choice(.format, format, ImportRequest.Format.self)
        }
        request.key = value(.key)
        request.map = try pairs(.map)
        request.keepsGoing = has(.keepGoing)
        request.delivers = has(.deliver)
        return .importRecords(request)
    }

    mutating func undo() throws(ShellError) -> Command {
        try expectWords(atMost: 1)
        var request = UndoRequest()
        if let word = words.first { request.count = Int(try number(word)) }
        request.delivers = has(.deliver)
        return .undo(request)
    }

    /// Fails at a word that is neither the model nor part of a clause.
    private func expectNoStrayWords() throws(ShellError) {
        guard let word = words.first else { return }
        throw misused("\"\(word)\" is neither a clause nor an option here")
    }

    private func expectItems(_ words: [String]) throws(ShellError) {
        guard let word = words.first(where: { !$0.looksLikeItem }) else { return }
        throw misused("\"\(word)\" is no item: a value with spaces needs quotes: title='a b'")
    }
}
