internal import JSON
internal import Records
internal import Sync

extension ConformanceBench {
    /// An operation of a push.
    struct Operation {
        var key = SampleModel.id()
        var id: String
        var kind: Mutation.Kind
        var base: JSONValue?
        var set = JSONObject()
        var record: JSONObject?

        func description(of model: String) -> JSONValue {
            [
                "key": .string(key), "group": .string(key), "model": .string(model),
                "id": .string(id), "kind": .string(kind.rawValue), "base_version": base ?? .null,
                "set": .object(set), "record": record.map { .object($0) } ?? .null,
            ]
        }
    }

    /// The verdict on one operation, as it was told.
    struct Verdict {
        static let outcomes = ["ok", "conflict", "rejected", "retry", "auth", "unknown"]

        let members: JSONObject

        var key: String? { members["key"]?.text }
        var outcome: String { members["outcome"]?.text ?? "" }
        var version: JSONValue? { members["version"]?.unlessNull }
        var record: JSONObject? { members["record"]?.members }
    }

    /// What a record is after the kit has written it.
    struct Made {
        var id: String
        var version: JSONValue?
        var record: JSONObject
    }

    /// Throws unless the plugin can be written to and the kit knows how.
    func writable() throws(Shortfall) -> SampleModel {
        guard capabilities.pushes else { throw .skipped("its capabilities have no push") }
        guard let sample else {
            throw .skipped("no model of its schema has one text key and a text to write")
        }
        return sample
    }

    func push(
        _ operations: [Operation], on connection: PluginConnection? = nil
    ) throws(Shortfall) -> [Verdict] {
        let connection = if let connection { connection } else { try self.connection() }
        var verdicts: [Verdict] = []
        var rest = operations[...]
        while !rest.isEmpty {
            let batch = rest.prefix(max(1, capabilities.batch))
            rest = rest.dropFirst(batch.count)
            made += batch.filter { $0.kind == .create }.map(\.id)
            let answer = try ask(
                connection, .push,
                JSONObject([("ops", .array(batch.map { $0.description(of: model) }))]))
            guard let results = answer["results"]?.elements else {
                throw .failed("push is answered without a list of results")
            }
            verdicts += results.map { Verdict(members: $0.members ?? JSONObject()) }
        }
        return verdicts
    }

    /// Pushes one operation; its verdict.
    func push(
        one operation: Operation, on connection: PluginConnection? = nil
    ) throws(Shortfall) -> Verdict {
        let verdicts = try push([operation], on: connection)
        guard let verdict = verdicts.first(where: { $0.key == operation.key }) else {
            throw .failed("a push of one operation got no verdict with its key")
        }
        return verdict
    }

    /// Makes records, each with a text of its own.
    func make(
        _ count: Int, on connection: PluginConnection? = nil
    ) throws(Shortfall) -> [Made] {
        let sample = try writable()
        var operations: [Operation] = []
        for number in 0..<count {
            let record = sample.record(SampleModel.id(), "satchel plugin test \(number)")
            operations.append(try create(record))
        }
        let verdicts = try push(operations, on: connection)
        var results: [Made] = []
        for operation in operations {
            let verdict = verdicts.first { $0.key == operation.key }
            guard let verdict else { throw .failed("the create of a record got no verdict") }
            results.append(try taken(verdict, operation, "a create"))
        }
        return results
    }

    /// Changes a record's text.
    func edit(
        _ old: Made, _ words: String, key: String = SampleModel.id(),
        on connection: PluginConnection? = nil
    ) throws(Shortfall) -> Made {
        let operation = try update(old, words, key: key)
        return try taken(try push(one: operation, on: connection), operation, "an update")
    }

    func update(
        _ old: Made, _ words: String, key: String = SampleModel.id()
    ) throws(Shortfall) -> Operation {
        update(old, JSONObject([(try writable().field.name, .string(words))]), key: key)
    }

    func update(
        _ old: Made, _ change: JSONObject, key: String = SampleModel.id()
    ) -> Operation {
        Operation(
            key: key, id: old.id, kind: .update, base: old.version, set: change,
            record: old.record.overlaid(with: change))
    }

    /// The making of a record.
    func create(_ record: JSONObject) throws(Shortfall) -> Operation {
        let id = record[try writable().model.key[0]]?.text ?? ""
        return Operation(id: id, kind: .create, set: record, record: record)
    }

    /// What an "ok" says the record is now.
    func taken(
        _ verdict: Verdict, _ operation: Operation, _ what: String
    ) throws(Shortfall) -> Made {
        guard verdict.outcome == "ok" else {
            let words = text.shown(verdict.members.serialized, limit: 300)
            throw .failed("\(what) that is as it should be is not taken: \(words)")
        }
        let id = verdict.members["id"].flatMap(RemoteItem.id)?.text ?? operation.id
        if id != operation.id { made.append(id) }
        if verdict.members["record"]?.isNull == true {
            throw .failed("\(what) is ok with \"record\":null, which says that it is gone")
        }
        return Made(
            id: id, version: verdict.version,
            record: verdict.record ?? operation.record ?? operation.set)
    }

    /// Deletes what was made, as far as it lets itself be deleted.
    func cleanUp() {
        guard !made.isEmpty else { return }
        do throws(Shortfall) {
            let states = try pull().states
            let left = Set(made).compactMap { states[$0] }.filter { !$0.isDeleted }
            _ = try push(
                left.map { Operation(id: $0.id.text, kind: .delete, base: $0.version) })
        } catch {
            // It has been told by then what is wrong with pull or push.
        }
    }
}

extension JSONObject {
    fileprivate var serialized: String { JSONValue.object(self).serialized() }
}
