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
                let state = try state(of: model, mutation.id)
                // Once a record, at its first.
                guard state.live.first?.seq == mutation.seq else { continue }
                result.examined += 1
                let expected = fold(state.base, state.live).map(model.normalized)
                if expected == state.current.map(model.normalized) { continue }
                result.wrongCount += 1
                if result.wrong.count < 10 { result.wrong.append(mutation.record) }
            }
        }
    }
}
