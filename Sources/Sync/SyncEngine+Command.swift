internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension SyncEngine {
    /// Lets the programs that the merge policies name decide what waits for them.
    ///
    /// No transaction is open while a program runs. A record that moved on meanwhile waits for the
    /// next call; one that its program could not decide waits for a person.
    ///
    /// - Returns: How many were decided.
    func resolveByCommand() throws(SyncError) -> Int {
        guard let resolve = ports.resolve else { return 0 }
        let waiting = try stored { () throws(StoreError) in
            try store.mutations(states: [.conflict]).filter { $0.failure?.kind == "command" }
        }
        var decided = 0
        for mutation in waiting {
            guard let model = model(mutation.model),
                let question = try question(about: mutation, model)
            else { continue }
            let answer = resolve(question.program, question.input)
            decided += try stored { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    guard try store.mutation(mutation.seq) == mutation,
                        try known(of: mutation).version == question.version
                    else { return 0 }
                    return try take(answer, mutation, question, model)
                }
            }
        }
        return decided
    }

    /// What is asked of a program, and on which state.
    private struct CommandQuestion {
        var program: String
        var fields: [String]
        /// `{"model", "id", "base", "local", "remote"}`, the last three whole records.
        var input: JSONValue
        var version: JSONValue?
    }

    private func question(about mutation: Mutation, _ model: Model) throws(SyncError)
        -> CommandQuestion?
    {
        let base = try stored { () throws(StoreError) in try known(of: mutation) }
        guard let remote = base.record else { return nil }
        let policies = settings.policies(of: model.name)
        var program: String?
        var fields: [String] = []
        for (name, local) in mutation.set.pairs {
            guard case .command(let line) = policies.policy(of: name), line == program ?? line,
                mutation.was[name] != remote[name], local != remote[name]
            else { continue }
            program = line
            fields.append(name)
        }
        guard let program else { return nil }
        let input = JSONObject([
            ("model", .string(model.name)), ("id", .string(mutation.id.text)),
            ("base", .object(remote.overlaid(with: mutation.was))),
            ("local", .object(remote.overlaid(with: mutation.set))),
            ("remote", .object(remote)),
        ])
        return CommandQuestion(
            program: program, fields: fields, input: .object(input), version: base.version)
    }

    private func take(
        _ answer: JSONObject?, _ mutation: Mutation, _ question: CommandQuestion, _ model: Model
    ) throws(StoreError) -> Int {
        var values = JSONObject()
        for name in question.fields {
            if let value = answer?[name],
                model.field(name)?.accepts(remote: value, in: store.schema)
                    ?? true
            {
                values[name] = value
            }
        }
        guard values.count == question.fields.count else {
            var parked = mutation
            parked.failure = Mutation.Failure(
                kind: "field",
                message: "\(question.program) did not decide "
                    + question.fields.joined(separator: ", "), field: question.fields.first)
            try store.updateMutation(parked)
            notify(.conflict(parked.record, kind: "field"))
            return 0
        }
        let outcome = try outbox.resolve(
            model, mutation.id, as: .values(values), policies: settings.policies(of: model.name),
            group: mutation.group)
        return outcome == .done ? 1 : 0
    }
}
