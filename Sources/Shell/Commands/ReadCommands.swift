internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync

extension Session {
    func list(_ request: ListRequest) throws(ShellError) {
        let open = try workspace()
        let model = try open.model(request.model)
        let query = Query(
            model: model.name, filter: try filter(request.filter, model, open),
            sort: try sort(request.sort, model, open), limit: request.limit,
            offset: request.offset)
        try writeRecords(
            query, model, open, fields: try fields(request.fields, model),
            include: request.include)
    }

    func count(_ request: CountRequest) throws(ShellError) {
        let open = try workspace()
        let model = try open.model(request.model)
        let query = Query(model: model.name, filter: try filter(request.filter, model, open))
        let count = try stored { () throws(StoreError) in try open.store.count(query) }
        try writeNumber("count", count)
    }

    func get(_ request: GetRequest) throws(ShellError) {
        let open = try workspace()
        let model = try open.model(request.model)
        let fields = try fields(request.fields, model)
        let ids = try ids(request.keys, model, open)
        if request.asksBackend {
            return try getRemote(ids, model, open, fields, request.include)
        }
        var found: [(id: RecordID, record: StoredRecord)] = []
        var missing: [RecordID] = []
        for id in ids {
            let record = try stored { () throws(StoreError) in try open.store.record(model, id) }
            if let record { found.append((id, record)) } else { missing.append(id) }
        }
        if !found.isEmpty {
            try writeRecords(
                found, model, open, fields: fields, include: request.include,
                single: ids.count == 1)
        }
        try refuseMissing(missing, model)
    }

    /// Says which ids are not there, and what could be done about it.
    func refuseMissing(_ ids: [RecordID], _ model: Model) throws(ShellError) {
        guard !ids.isEmpty else { return }
        throw ShellError(
            .notFound, "there is no \(model.name) \(ids.shown)",
            hint: "it may not be pulled yet: satchel sync pull \(model.name)")
    }

    private func getRemote(
        _ ids: [RecordID], _ model: Model, _ open: OpenWorkspace, _ fields: [Int]?,
        _ include: [String]
    ) throws(ShellError) {
        let includes = try Includes(include, of: model, in: open)
        let (records, included) = try withBackend(open) { (backend) throws(BackendError) in
            let records = try backend.fetch(model: model.name, ids: ids)
            let related = RemoteRelations(backend, open.schema)
            let values = try related.values(of: records.map(\.record), model, includes.nodes)
            return (records, values)
        }
        var found: [(id: RecordID, record: StoredRecord)] = []
        var values: [[JSONValue]] = []
        for id in ids {
            guard let place = records.firstIndex(where: { $0.id == id }),
                let record = records[place].record
            else { continue }
            let version = records[place].version
            found.append((id, StoredRecord(record: model.normalized(record), version: version)))
            values.append(included[place])
        }
        if !found.isEmpty {
            try writeRecords(
                found, model, open, fields: fields, include: include, included: values,
                single: ids.count == 1)
        }
        let missing = ids.filter { id in !found.contains { $0.id == id } }
        guard missing.isEmpty else {
            throw ShellError(.notFound, "the backend has no \(model.name) \(missing.shown)")
        }
    }
}

extension RecordID {
    /// The id as a word that shells and the prompt take as it is.
    var typed: String {
        let isPlain = text.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || "-_.:/@%+".utf8.contains($0)
        }
        if isPlain, !text.isEmpty { return text }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}

extension [RecordID] {
    /// The first ten, for a message.
    var shown: String {
        prefix(10).map(\.text).joined(separator: ", ") + (count > 10 ? ", …" : "")
    }
}
