internal import JSON
internal import Platform
internal import Records
internal import Storage

// What the words of a command mean in the open workspace: models, filters, ids, values.

extension Session {
    /// Runs a look-up in the schema under the shell's error.
    func meaning<T>(_ body: () throws(RecordsError) -> T) throws(ShellError) -> T {
        do throws(RecordsError) { return try body() } catch { throw ShellError(error) }
    }

    func filter(_ text: String?, _ model: Model, _ open: OpenWorkspace) throws(ShellError)
        -> Filter?
    {
        guard let text else { return nil }
        return try meaning { () throws(RecordsError) in
            try Filter.parse(text, model: model, schema: open.schema)
        }
    }

    func sort(_ words: [SortWord], _ model: Model, _ open: OpenWorkspace) throws(ShellError)
        -> [SortKey]
    {
        var keys: [SortKey] = []
        for word in words {
            keys += try meaning { () throws(RecordsError) in
                try SortKey.parse(
                    (word.descending ? "-" : "") + word.path, model: model, schema: open.schema)
            }
        }
        return keys
    }

    /// Places in the model of the fields asked for; nil for all.
    func fields(_ names: [String]?, _ model: Model) throws(ShellError) -> [Int]? {
        guard let names else { return nil }
        var places: [Int] = []
        for name in names {
            guard let place = model.fieldIndex(name) else {
                let known = model.fields.map(\.name)
                throw .usage(
                    "\(model.name) has no field \"\(name)\"",
                    hint: didYouMean(name, among: known).map { "did you mean \"\($0)\"?" }
                        ?? "its fields are \(known.joined(separator: ", "))")
            }
            places.append(place)
        }
        return places
    }

    /// The ids that words name: whole ids, unique prefixes of them, or the items of one composite
    /// key.
    func ids(_ words: [String], _ model: Model, _ open: OpenWorkspace) throws(ShellError)
        -> [RecordID]
    {
        if model.hasCompositeKey, words.contains(where: { $0.utf8.contains(UInt8(ascii: "=")) }) {
            let id = try meaning { () throws(RecordsError) in
                var items: [Item] = []
                for word in words { items.append(try Item.parse(word)) }
                return try items.recordID(of: model, in: open.schema)
            }
            return [id]
        }
        var ids: [RecordID] = []
        var met: Set<RecordID> = []
        for word in words {
            let id = try id(word, model, open)
            if met.insert(id).inserted { ids.append(id) }
        }
        return ids
    }

    /// The record a word names; an id that is not there is given back as typed.
    func id(_ word: String, _ model: Model, _ open: OpenWorkspace) throws(ShellError) -> RecordID {
        let typed: RecordID
        do throws(RecordsError) {
            typed = try model.recordID(typed: word, in: open.schema)
        } catch {
            throw ShellError(error)
        }
        let isThere = try stored { () throws(StoreError) in
            try open.store.recordExists(model, typed)
        }
        if isThere || model.hasCompositeKey || word.isEmpty { return typed }
        let found = try stored { () throws(StoreError) in
            try open.store.ids(model, prefix: typed.text, limit: 11)
        }
        if found.count == 1 { return found[0] }
        if found.isEmpty { return typed }
        var list = found.prefix(10).map(\.text).joined(separator: ", ")
        if found.count > 10 { list += ", …" }
        throw ShellError(
            .failed, "\"\(word)\" is the beginning of several ids of \(model.name)",
            hint: "write more of it: \(list)")
    }

    /// The items of a write, files read.
    func items(_ values: Values) throws(ShellError) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(values.items.count + values.unset.count)
        for word in values.items {
            let item = try meaning { () throws(RecordsError) in try Item.parse(word) }
            guard let file = item.file else {
                items.append(item)
                continue
            }
            items.append(item.reading(try text(of: InputSource(file))))
        }
        for name in values.unset {
            items.append(try meaning { () throws(RecordsError) in try Item.unset(name) })
        }
        return items
    }

    /// The items with the beginnings of ids that relations were given made whole.
    ///
    /// A record that is not there may yet be pulled: it is only noted.
    func related(_ items: [Item], _ model: Model, _ open: OpenWorkspace) throws(ShellError)
        -> [Item]
    {
        guard !model.relations.isEmpty else { return items }
        var whole = items
        for (index, item) in items.enumerated() {
            guard case .set(let word) = item.operation, item.parts.isEmpty,
                let relation = model.relation(item.field), relation.holdsForeignKey,
                relation.fields.count == 1, let other = open.schema.model(relation.model)
            else { continue }
            let id = try id(word, other, open)
            whole[index].operation = .set(id.text)
            let isThere = try stored { () throws(StoreError) in
                try open.store.recordExists(other, id)
            }
            if !isThere, !open.store.isInBatch {
                console.note("there is no \(other.name) \(id) here yet")
            }
        }
        return whole
    }

    /// The JSON that `--data` gives; nil without it.
    func data(_ source: DataSource?) throws(ShellError) -> JSONValue? {
        guard let source else { return nil }
        let text: String
        let name: String
        switch source {
        case .text(let words): (text, name) = (words, "--data")
        case .input(let input): (text, name) = (try self.text(of: input), input.shownName)
        }
        do throws(JSONError) { return try JSONValue.parse(text) } catch {
            if case .text = source { throw .usage("--data is no JSON: \(error.message)") }
            throw ShellError(error, in: name)
        }
    }

    /// What is in a file or on standard input, as text.
    func text(of source: InputSource) throws(ShellError) -> String {
        guard let text = String(validating: try bytes(of: source), as: UTF8.self) else {
            throw ShellError(.input, "\(source.shownName) is no UTF-8 text")
        }
        return text
    }

    func bytes(of source: InputSource) throws(ShellError) -> [UInt8] {
        if case .standardInput = source, readsCommandsFromInput {
            throw .usage(
                "standard input holds the commands: \"-\" cannot be read as data",
                hint: "put the commands in a file: satchel -f FILE")
        }
        return try written { () throws(SystemError) in
            switch source {
            case .file(let path): try Files.read(path, limit: 1 << 30)
            case .standardInput: try Files.readAll(0, limit: 1 << 30)
            }
        }
    }
}

extension InputSource {
    var shownName: String {
        switch self {
        case .standardInput: "<stdin>"
        case .file(let path): path
        }
    }
}
