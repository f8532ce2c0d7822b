internal import JSON
internal import Records
internal import Sync

// The checks of level write.

extension ConformanceBench {
    func everyOperationGetsOneVerdict() throws(Shortfall) {
        let sample = try writable()
        var operations: [Operation] = []
        for number in 0..<max(1, min(5, capabilities.batch)) {
            operations.append(
                try create(sample.record(SampleModel.id(), "one of a batch, \(number)")))
        }
        let verdicts = try push(operations)
        for operation in operations {
            let own = verdicts.filter { $0.key == operation.key }
            guard let verdict = own.first else {
                throw .failed("an operation of \(operations.count) got no verdict")
            }
            if own.count > 1 { throw .failed("an operation got \(own.count) verdicts") }
            guard Verdict.outcomes.contains(verdict.outcome) else {
                throw .failed(
                    "\"\(text.shown(verdict.outcome, limit: 80))\" is no outcome of the protocol")
            }
            _ = try taken(verdict, operation, "a create")
        }
        if verdicts.count > operations.count {
            throw .failed("there is a verdict on an operation that was not sent")
        }
    }

    func whatIsWrittenCanBeRead() throws(Shortfall) {
        let name = try writable().field.name
        let created = try make(1)[0]
        let changed = try edit(created, "changed ünï \"quoted\" text")
        guard let state = try pull().states[created.id], let record = state.record else {
            throw .failed("a record that was taken is not pulled")
        }
        guard record[name] == changed.record[name] else {
            throw .failed(
                "\(name) was taken as \(shown(changed.record[name])) and is pulled as "
                    + shown(record[name]))
        }
        if let version = changed.version, state.version != version {
            throw .failed(
                "the verdict gives the version \(shown(version)), pull \(shown(state.version))")
        }
        let lost = changed.record.keys.filter { record[$0] == nil }
        if !lost.isEmpty {
            throw .failed("pull leaves out what the verdict's record has: \(names(lost))")
        }
    }

    func okTellsTheVersion() throws(Shortfall) {
        let sample = try writable()
        let create = try create(sample.record(SampleModel.id(), "a first version"))
        var verdict = try push(one: create)
        var made = try taken(verdict, create, "a create")
        for what in ["create", "update"] {
            guard let version = try pull().states[made.id]?.version else {
                throw .skipped("its records have no versions")
            }
            guard let told = verdict.version else {
                throw .failed(
                    "the ok of \(what == "create" ? "a" : "an") \(what) has no version, and pull "
                        + "gives \(shown(version)): the next change would be made on no version")
            }
            guard told == version else {
                throw .failed(
                    "the ok of a change has the version \(shown(told)), pull \(shown(version))")
            }
            if what == "update" { return }
            let update = try update(made, "a second version")
            verdict = try push(one: update)
            made = try taken(verdict, update, "an update")
        }
    }

    func sameKeyIsOneEffect() throws(Shortfall) {
        _ = try writable()
        guard capabilities.idempotency != .none else {
            throw .skipped("its capabilities promise no idempotency")
        }
        let created = try make(1)[0]
        let operation = try update(created, "first")
        let first = try taken(try push(one: operation), operation, "an update")
        let second = try edit(first, "second")
        // As after an answer that was lost on the way.
        let again = try push(one: operation)
        if capabilities.idempotency == .key, again.outcome != "ok" {
            throw .failed("an operation sent again is \(again.outcome) instead of ok")
        }
        try expect(second, "an operation that was sent again took effect again")
        let create = try create(try writable().record(SampleModel.id(), "twice"))
        let before = try pull().ids.count
        _ = try push(one: create)
        _ = try push(one: create)
        let after = try pull().ids.count
        guard after == before + 1 else {
            throw .failed("a create sent twice made \(after - before) records")
        }
    }

    func staleBaseConflicts() throws(Shortfall) {
        _ = try writable()
        let created = try make(1)[0]
        guard created.version != nil else { throw .skipped("its records have no versions") }
        let current = try edit(created, "newer", on: try other())
        guard current.version != created.version else {
            throw .failed("a record has the same version after a change as before it")
        }
        let verdict = try push(one: try update(created, "made on the older state"))
        guard verdict.outcome == "conflict" else {
            throw .failed("an update of an older version is \(verdict.outcome), not a conflict")
        }
        if let told = verdict.members["record"] {
            let name = try writable().field.name
            guard told[name] == current.record[name] else {
                throw .failed("the conflict does not bring the record as it is now")
            }
        }
        try expect(current, "a write that conflicted was done all the same")
        let delete = Operation(id: created.id, kind: .delete, base: created.version)
        let outcome = try push(one: delete).outcome
        guard outcome == "conflict" else {
            throw .failed("a delete of an older version is \(outcome), not a conflict")
        }
    }

    func badFieldIsNamed() throws(Shortfall) {
        let sample = try writable()
        var bad: [(name: String, value: JSONValue)] = []
        if sample.field.isRequired { bad.append((sample.field.name, .null)) }
        bad.append((sample.field.name, ["not": ["a", "text"]]))
        bad.append((sample.field.name, .string(String(repeating: "long ", count: 4_000))))
        bad.append(("x_unknown_field", "x"))
        for (name, value) in bad {
            let created = try make(1)[0]
            let verdict = try push(one: update(created, JSONObject([(name, value)])))
            switch verdict.outcome {
            case "ok": continue
            case "rejected": break
            default:
                throw .failed(
                    "\(name): \(shown(value)) is \(verdict.outcome); rejected ends such a write")
            }
            guard verdict.members["message"]?.text?.isEmpty == false else {
                throw .failed("it rejects \(name): \(shown(value)) without a message")
            }
            guard verdict.members["field"]?.text == name else {
                throw .failed("it rejects \(name): \(shown(value)) without naming the field")
            }
            try expect(created, "a write that was rejected was done all the same")
            return
        }
        throw .skipped("it takes any value")
    }
}

extension ConformanceBench {
    /// Throws unless the record is as it was last told.
    private func expect(_ wanted: Made, _ complaint: String) throws(Shortfall) {
        let name = try writable().field.name
        let record = try pull().states[wanted.id]?.record
        guard record?[name] == wanted.record[name] else {
            throw .failed(
                "\(complaint): \(name) is \(shown(record?[name])), "
                    + "not \(shown(wanted.record[name]))")
        }
    }

    func shown(_ value: JSONValue?) -> String {
        text.shown((value ?? .null).serialized(), limit: 60)
    }
}
