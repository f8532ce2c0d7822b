internal import JSON
internal import Platform
internal import Records
internal import Sync

// The checks of level read.

extension ConformanceBench {
    func identityStays() throws(Shortfall) {
        _ = try connection()
        guard let before = identity else { throw .skipped("it names no identity") }
        _ = try restart()
        guard let after = identity, after.sameBytes(as: before) else {
            throw .failed(
                "it named \(text.shown(before, limit: 80)) first and "
                    + "\(text.shown(identity ?? "nothing", limit: 80)) after a restart")
        }
    }

    func pingIsAnswered() throws(Shortfall) {
        let connection = try connection()
        guard capabilities.answersPing else { throw .skipped("its capabilities have no ping") }
        _ = try ask(connection, .ping, JSONObject())
    }

    func pageKeepsToItsLimit() throws(Shortfall) {
        for limit in [1, 2] {
            let count = try page(limit: limit).items.count
            if count > limit {
                throw .failed("a pull with the limit \(limit) brought \(count) records")
            }
        }
    }

    func pagingIsComplete() throws(Shortfall) {
        let whole = try readable()
        let paged = try pull(limit: whole.limit)
        let missing = whole.pulled.ids.subtracting(paged.ids)
        guard missing.isEmpty else {
            throw .failed("pages of \(whole.limit) leave out \(names(missing))")
        }
        let surplus = paged.ids.subtracting(whole.pulled.ids)
        guard surplus.isEmpty else {
            throw .failed("large pages leave out what small ones bring: \(names(surplus))")
        }
    }

    func pagingIsStable() throws(Shortfall) {
        let whole = try readable()
        let first = try pull(limit: whole.limit).items
        let ids = first.map(\.id.text)
        guard Set(ids).count == ids.count else {
            let twice = Dictionary(grouping: ids) { $0 }.filter { $1.count > 1 }.keys
            throw .failed("nothing changed, and paging brings twice: \(names(twice))")
        }
        guard try pull(limit: whole.limit).items == first else {
            throw .failed("nothing changed, and paging a second time brings other records")
        }
    }

    func cursorResumes() throws(Shortfall) {
        let whole = try readable()
        let before = try pull(limit: whole.limit)
        guard before.cursors.count > 1, let cursor = before.cursors[0] else {
            throw .skipped("its records fit one page")
        }
        let head = try page(limit: whole.limit).items
        let rest = try pull(from: cursor, limit: whole.limit, on: try restart())
        let missing = before.ids.subtracting(head.map(\.id.text)).subtracting(rest.ids)
        guard missing.isEmpty else {
            throw .failed(
                "after a restart the cursor of the first page does not bring \(names(missing))")
        }
        guard rest.items.count < before.items.count else {
            throw .failed("the cursor of the first page brings everything from the start again")
        }
    }

    func recordsFitTheirModel() throws(Shortfall) {
        guard let known = schema.model(model) else { throw .skipped("there is no such model") }
        var records = try page(limit: 200).items.filter { !$0.isDeleted }
        if !knowsSchema {
            // Others may have written what they like into a data set that says nothing of itself.
            let own = Set(made)
            records.removeAll { !own.contains($0.id.text) }
        }
        guard !records.isEmpty else {
            throw .skipped(
                knowsSchema ? "\(model) has no records" : "it tells no schema of its records")
        }
        for item in records {
            guard let record = item.record, let fault = known.fault(remote: record, in: schema)
            else { continue }
            throw .failed(
                "the record \(names([item.id.text])) is none of \(model), so it would be set aside: "
                    + text.shown(fault, limit: 200))
        }
    }

    func fetchAnswersEveryID() throws(Shortfall) {
        guard capabilities.hasFetch else { throw .skipped("its capabilities say fetch: false") }
        var ids = try page(limit: 2).items.filter { !$0.isDeleted }.map(\.id.text)
        let known = Set(ids)
        ids.append(SampleModel.id())
        let answer: JSONValue
        do throws(Shortfall) {
            answer = try ask(
                try connection(), .fetch,
                JSONObject([
                    ("model", .string(model)), ("ids", .array(ids.map { .string($0) })),
                ]))
        } catch {
            if case .plugin(let error) = error, case .refused(let refusal) = error.kind,
                refusal.kind == .unsupported
            {
                throw .skipped("it answers fetch with unsupported")
            }
            throw error
        }
        guard let items = answer["records"]?.elements else {
            throw .failed("fetch is answered without a list of records")
        }
        var states: [String: RemoteRecord] = [:]
        for item in items {
            let record = try record(item)
            states[record.id.text] = record
        }
        for id in ids {
            guard let state = states[id] else {
                throw .failed("fetch does not answer the id \(text.shown(id, limit: 80))")
            }
            if state.isDeleted == known.contains(id) {
                throw .failed(
                    known.contains(id)
                        ? "fetch says deleted of \(names([id])), which pull brings"
                        : "fetch brings a record for an id that there is not")
            }
        }
    }
}

extension ConformanceBench {
    /// Everything, with a limit that cuts it into several pages.
    private func readable() throws(Shortfall) -> (pulled: Pulled, limit: Int) {
        let pulled = try pull()
        guard pulled.items.count > 1 else {
            throw .skipped(
                "\(model) has \(pulled.items.count) records; paging shows with 2 or more"
                    + (knowsSchema
                        ? ""
                        : ", and \(model) is the kit's own model: run it in a workspace, "
                            + "or answer schema, to read others"))
        }
        return (pulled, max(1, min(1000, (pulled.items.count + 2) / 3)))
    }
}
