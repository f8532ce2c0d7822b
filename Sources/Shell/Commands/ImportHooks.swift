internal import JSON
internal import Records
internal import Storage

/// The hooks that an import asks.
struct ImportHooks {
    var create: Hook?
    var update: Hook?

    var areAny: Bool { create != nil || update != nil }
}

/// What a row of an import does.
struct ImportStep {
    var model: Model
    /// Such as `posts.csv:17`.
    var place: String
    var id: RecordID
    /// The whole record of a create; what an update sets.
    var values: JSONObject
    /// What the row says, before a hook was asked.
    var written: JSONObject
    var isCreate: Bool
    /// True once a hook was asked, or could have been: then it has to meet what `old` says.
    var wasAsked = false
    var old: JSONObject?

    var key: RecordKey { RecordKey(model.name, id) }

    /// The record as it will be.
    var after: JSONObject { isCreate ? values : (old ?? JSONObject()).overlaid(with: values) }
}

extension ImportIntake {
    /// Takes a row to those that the hooks are asked about, and asks when there are enough.
    ///
    /// - Parameters:
    ///   - row: As it was read.
    ///   - onRefusal: Called with each refusal, which is counted; what it throws ends the import.
    /// - Returns: Steps that may be written now.
    /// - Throws: What is wrong with the row; a hook's failure.
    mutating func consider(_ row: ImportRow, onRefusal: (ShellError) throws(ShellError) -> Void)
        throws(ShellError) -> [ImportStep]
    {
        var approved: [ImportStep] = []
        // What the hooks make of an earlier row decides what this one meets.
        if meetsUnasked(row) { approved = try askAbout(onRefusal: onRefusal) }
        var step = try step(of: row)
        step.wasAsked = true
        if !step.isCreate {
            if let coming = pending[step.key] {
                step.old = coming
            } else {
                step.old = try record(of: step)
            }
        } else if pending[step.key] != nil {
            throw ShellError(
                .exists, "\(row.place): there is a \(step.model.name) \(step.id) already",
                hint: "update what is there: --key \(step.model.key[0])")
        }
        unasked.append(step)
        unaskedKeys.insert(step.key)
        if let value = lookup(row) { unaskedValues.insert(value) }
        if unasked.count >= Hook.batch { approved += try askAbout(onRefusal: onRefusal) }
        return approved
    }

    private func meetsUnasked(_ row: ImportRow) -> Bool {
        if let value = lookup(row) { return unaskedValues.contains(value) }
        guard let id = row.model.id(of: row.record) else { return false }
        return unaskedKeys.contains(RecordKey(row.model.name, id))
    }

    private func record(of step: ImportStep) throws(ShellError) -> JSONObject? {
        try stored { () throws(StoreError) in try open.store.record(step.model, step.id)?.record }
    }

    /// Asks the hooks about the rows taken so far; no transaction is open meanwhile.
    mutating func askAbout(onRefusal: (ShellError) throws(ShellError) -> Void) throws(ShellError)
        -> [ImportStep]
    {
        let steps = unasked
        unasked = []
        unaskedKeys = []
        unaskedValues = []
        var verdicts = [HookVerdict](
            repeating: .accepts(JSONObject()), count: steps.count)
        try ask(hooks.create, steps.indices.filter { steps[$0].isCreate }, steps, &verdicts)
        try ask(
            hooks.update, steps.indices.filter { !steps[$0].isCreate && steps[$0].changesAny },
            steps, &verdicts)
        var approved: [ImportStep] = []
        for (step, verdict) in zip(steps, verdicts) {
            switch verdict {
            case .accepts(let changes):
                var step = step
                if !changes.isEmpty { changedByHooks += 1 }
                step.values = step.values.overlaid(with: changes)
                pending[step.key] = step.after
                remember(step)
                approved.append(step)
            case .refuses(let refusal):
                countFailure()
                try onRefusal(refusal.refusing(step))
            }
        }
        return approved
    }

    private func ask(
        _ hook: Hook?, _ asked: [Int], _ steps: [ImportStep], _ verdicts: inout [HookVerdict]
    ) throws(ShellError) {
        guard let hook, !asked.isEmpty else { return }
        let events = asked.map { index in
            let step = steps[index]
            return HookEvent(
                model: step.model, id: step.id, record: step.after,
                set: step.isCreate ? nil : step.values, old: step.old)
        }
        for (index, verdict) in zip(asked, try hook.ask(events)) { verdicts[index] = verdict }
    }

    /// A step as it is to be written: where its record changed while the hook was asked, it is asked
    /// anew, within the transaction, so that nobody changes the record again.
    func renewed(_ step: ImportStep) throws(ShellError) -> ImportStep {
        let now = try record(of: step)
        // Of a create that is there by now the write itself says so.
        if step.isCreate || step.model.isSame(now, step.old) { return step }
        guard now != nil else {
            throw ShellError(
                .input,
                "\(step.place): \(step.model.name) \(step.id) was deleted while the hook was asked",
                hint: "import again")
        }
        var step = step
        step.old = now
        step.values = step.written
        guard let hook = hooks.update, step.changesAny else { return step }
        let event = HookEvent(
            model: step.model, id: step.id, record: step.after, set: step.values, old: step.old)
        do throws(ShellError) {
            step.values = step.values.overlaid(with: try hook.ask(event))
        } catch {
            throw error.kind == .refused ? error.refusing(step) : error
        }
        return step
    }
}

extension ShellError {
    /// A hook's refusal, as that of a row.
    fileprivate func refusing(_ step: ImportStep) -> ShellError {
        var refusal = self
        refusal.message = "\(step.place): \(message)"
        refusal.kind = .input
        return refusal
    }
}

extension ImportStep {
    fileprivate var changesAny: Bool {
        values.pairs.contains { old?[$0.key] ?? .null != $0.value }
    }
}
