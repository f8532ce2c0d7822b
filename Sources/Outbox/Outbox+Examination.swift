internal import JSON
package import Records
package import Storage

extension Outbox {
    /// What the records with live mutations are like.
    package struct Examination: Sendable, Equatable {
        package var examined = 0
        /// Those whose state in view is not the fold of base and live mutations; the first few.
        package var wrong: [RecordKey] = []
        package var wrongCount = 0
        /// Mutations of models that the schema no longer has.
        package var foreign = 0

        package init() {}

        fileprivate mutating func noteWrong(_ key: RecordKey) {
            if wrong.contains(key) { return }
            wrongCount += 1
            if wrong.count < 10 { wrong.append(key) }
        }
    }

    /// Compares the state in view with the fold of base and live mutations, for every record that
    /// has any.
    package func examine() throws(StoreError) -> Examination {
        var result = Examination()
        var last: Int64 = 0
        while true {
            let page = try store.mutations(after: last, limit: 500)
            guard let end = page.last else { return result }
            last = end.seq
            for mutation in page where mutation.state.isLive {
                guard let model = store.schema.model(mutation.model) else {
                    result.foreign += 1
                    continue
                }
                guard let state = try readable(model, mutation.id) else {
                    result.noteWrong(mutation.record)
                    continue
                }
                // Once a record, at its first.
                guard state.live.first?.seq == mutation.seq else { continue }
                result.examined += 1
                let expected = fold(state.base, state.live).map(model.normalized)
                if expected.map(told) == state.current.map(model.normalized).map(told) { continue }
                result.noteWrong(mutation.record)
            }
        }
    }

    /// What is known of a record with live mutations; nil when some of it cannot be read.
    private func readable(_ model: Model, _ id: RecordID) throws(StoreError) -> RecordState? {
        let key = RecordKey(model.name, id)
        let live = try store.mutations(of: key).filter(\.state.isLive)
        return try store.legible { () throws(StoreError) in
            let stored = try store.record(model, id)
            return RecordState(
                base: try store.base(key) ?? .absent, live: live, current: stored?.record,
                version: stored?.version)
        }
    }

    /// A null under a name that the schema no longer has tells as much as none: a schema change
    /// leaves it in the record, a fold has it only where the backend said it.
    private func told(_ record: JSONObject) -> JSONObject {
        JSONObject(unchecked: record.pairs.filter { !$0.value.isNull })
    }
}
