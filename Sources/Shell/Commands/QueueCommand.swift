internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage
internal import Sync

extension Session {
    func queue(_ request: QueueRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        switch request {
        case .list:
            let mutations = try stored { () throws(StoreError) in
                try open.store.mutations(states: nil, group: nil, after: 0, limit: .max)
            }
            let listing = try listing()
            let wait = try wait(open)
            try listing.write(
                listing.format.isForPeople
                    ? entries(of: mutations, open) : mutations.map { QueueEntry($0, wait: wait) },
                to: output)
        case .show(let seq): try showMutation(seq, open)
        case .retry(let selection, let delivers): return try retry(selection, delivers, open)
        case .drop(let selection): return try drop(selection, open)
        case .edit(let seq, let values, let delivers):
            return try edit(seq, values, delivers, open)
        }
        return .done
    }

    private func mutation(_ seq: Int64, _ open: OpenWorkspace) throws(ShellError) -> Mutation {
        let found = try stored { () throws(StoreError) in try open.store.mutation(seq) }
        guard let found else {
            throw ShellError(
                .notFound, "the queue has no number \(seq)", hint: "see: satchel queue list")
        }
        return found
    }

    /// The mutations with what they wait for.
    func entries(
        of mutations: [Mutation], _ open: OpenWorkspace
    ) throws(ShellError) -> [QueueEntry] {
        var entries: [QueueEntry] = []
        let wait = try wait(open)
        let now = clock.now()
        for mutation in mutations {
            let others = try stored { () throws(StoreError) -> [Mutation] in
                guard mutation.state == .waiting else { return [] }
                var others: [Mutation] = []
                for seq in try open.store.dependencies(of: mutation.seq) {
                    if let other = try open.store.mutation(seq) { others.append(other) }
                }
                return others
            }
            entries.append(QueueEntry(mutation, waitingFor: others, wait: wait, now: now))
        }
        return entries
    }

    /// What the backend asked for before anything is sent to it.
    private func wait(_ open: OpenWorkspace) throws(ShellError) -> BackendWait? {
        try stored { () throws(StoreError) in
            try BackendWait.ofContext(open.store, now: clock.now())
        }
    }

    private func showMutation(_ seq: Int64, _ open: OpenWorkspace) throws(ShellError) {
        var listing = try listing()
        listing.isSingle = true
        guard let entry = try entries(of: [try mutation(seq, open)], open).first else { return }
        guard listing.format == .table else { return try listing.write([entry], to: output) }
        let secrets = try secretFields(entry.mutation.model, open)
        let text = entry.text(secrets: secrets, now: clock.now(), listing.style)
        try written { () throws(SystemError) in try output.write(text) }
    }

    /// Fields whose values are not shown: also those that were secret when they left the schema.
    func secretFields(_ model: String, _ open: OpenWorkspace) throws(ShellError) -> Set<String> {
        let fields = open.schema.model(model)?.fields ?? []
        let former = try stored { () throws(StoreError) in
            try open.store.formerSecrets(of: model)
        }
        return Set(fields.filter(\.isSecret).map(\.name))
            .union(former.filter { name in !fields.contains { $0.name == name } })
    }

    /// The numbers a selection means: for `all`, those of the states given.
    private func numbers(
        _ selection: Selection, _ states: [Mutation.State]?, _ open: OpenWorkspace
    ) throws(ShellError) -> [Int64] {
        switch selection {
        case .numbers(let numbers):
            for number in numbers { _ = try mutation(number, open) }
            return numbers
        case .all:
            return try stored { () throws(StoreError) in
                try open.store.mutations(states: states, group: nil, after: 0, limit: .max)
                    .map(\.seq)
            }
        }
    }

    private func retry(_ selection: Selection, _ delivers: Bool, _ open: OpenWorkspace)
        throws(ShellError) -> ExitCode
    {
        var numbers = try numbers(selection, [.rejected, .queued], open)
        if case .all = selection { numbers += try conflictsOfPrograms(open) }
        if options.isDryRun {
            var mutations: [Mutation] = []
            for seq in numbers { mutations.append(try mutation(seq, open)) }
            return try previewQueue(mutations)
        }
        let group = identifiers.next()
        var groups: [String] = []
        let done = try repairEach(numbers) { (seq) throws(ShellError) in
            let mutation = try mutation(seq, open)
            try repair(seq, open) { () throws(StoreError) in
                try open.outbox.retry(
                    seq, policies: open.policies(of: mutation.model), group: group)
            }
            if !groups.contains(mutation.group) { groups.append(mutation.group) }
        }
        if isJSON { try writeNumber("retried", done) }
        console.note("\(Quantity.count(done, "change")) will be offered again")
        var code = done == numbers.count ? ExitCode.done : .partial
        for group in groups { code = code.merged(with: try deliver(group, delivers, open)) }
        return code
    }

    /// The conflicts that programs may be asked about again; the others wait for a person.
    private func conflictsOfPrograms(_ open: OpenWorkspace) throws(ShellError) -> [Int64] {
        var numbers: [Int64] = []
        var others = 0
        for seq in try self.numbers(.all, [.conflict], open) {
            let mutation = try mutation(seq, open)
            let canAsk = try stored { () throws(StoreError) in
                try open.outbox.canAskAgain(
                    mutation, policies: open.policies(of: mutation.model))
            }
            if canAsk { numbers.append(seq) } else { others += 1 }
        }
        if others > 0 {
            console.note(
                "\(Quantity.count(others, "conflict")) left for you: "
                    + spoken("satchel conflicts list"))
        }
        return numbers
    }

    private func drop(_ selection: Selection, _ open: OpenWorkspace) throws(ShellError)
        -> ExitCode
    {
        let numbers = try numbers(selection, nil, open)
        guard !numbers.isEmpty else { return .done }
        let lost = "drop \(Quantity.count(numbers.count, "undelivered change")) for good"
        if options.isDryRun {
            var entries: [QueueEntry] = []
            for seq in numbers { entries.append(QueueEntry(try mutation(seq, open))) }
            try listing().write(entries, to: output)
            console.note("nothing was done")
            return .done
        }
        var lines: [String] = []
        for seq in numbers { lines.append("\(seq) \(try mutation(seq, open).summary)") }
        try consent(to: lost, showing: lines, hint: "--dry-run shows them; --yes consents")
        let group = identifiers.next()
        // Later ones first: what builds on a create goes before it.
        let done = try repairEach(numbers.sorted(by: >)) { (seq) throws(ShellError) in
            try repair(seq, open) { () throws(StoreError) in
                try open.outbox.drop(seq, policies: open.policies(of:), group: group)
            }
        }
        if isJSON { try writeNumber("dropped", done) }
        console.note("dropped \(Quantity.count(done, "change"))")
        return done == numbers.count ? .done : .partial
    }

    private func edit(
        _ seq: Int64, _ values: Values, _ delivers: Bool, _ open: OpenWorkspace
    ) throws(ShellError) -> ExitCode {
        let mutation = try mutation(seq, open)
        let model = try open.model(mutation.model)
        let data = try data(values.data)
        let items = try items(values)
        let set = try meaning { () throws(RecordsError) -> JSONObject in
            var set = JSONObject()
            if let members = data?.members {
                set = try model.validate(data: members, in: open.schema)
            }
            return set.overlaid(
                with: try items.changes(to: model, current: mutation.set, in: open.schema))
        }
        if set.isEmpty {
            guard items.isEmpty, data == nil else {
                console.note("number \(seq) has these values already")
                guard delivers, !options.isDryRun else { return .done }
                try offerAgain(mutation, open)
                return try deliver(mutation.group, delivers, open)
            }
            throw .usage("queue edit sets nothing", hint: "add FIELD=VALUE")
        }
        if options.isDryRun {
            var edited = mutation
            edited.set = edited.set.overlaid(with: try approved(set, of: mutation, model, open).set)
            return try previewQueue([edited])
        }
        let group = identifiers.next()
        try settled(open) { () throws(ShellError) -> Void? in
            let approved = try approved(set, of: try self.mutation(seq, open), model, open)
            return try repair(seq, open) { () throws(StoreError) in
                guard try approved.stillHolds(in: open.store) else { return nil }
                return try open.outbox.edit(seq, set: approved.set, group: group)
            }
        }
        if delivers {
            try offerAgain(mutation, open)
        } else if mutation.state == .rejected {
            console.note(spoken("offer it again with: satchel queue retry \(seq)"))
        }
        let isLeft = try stored { () throws(StoreError) in try open.store.mutation(seq) } != nil
        if isJSON, isLeft { try showMutation(seq, open) }
        return try deliver(mutation.group, delivers, open)
    }

    /// Lets a refused change be sent once more; what was not refused goes anyway.
    private func offerAgain(_ mutation: Mutation, _ open: OpenWorkspace) throws(ShellError) {
        guard mutation.state == .rejected else { return }
        let group = identifiers.next()
        try repair(mutation.seq, open) { () throws(StoreError) in
            try open.outbox.retry(
                mutation.seq, policies: open.policies(of: mutation.model), group: group)
        }
    }

    private func previewQueue(_ mutations: [Mutation]) throws(ShellError) -> ExitCode {
        try listing().write(mutations.map { QueueEntry($0) }, to: output)
        console.note("nothing was done")
        return .done
    }

    /// Repairs one after the other: of several, one that cannot be repaired stops none of the others.
    ///
    /// - Returns: How many were repaired; why each of the others was not is told.
    private func repairEach(
        _ numbers: [Int64], _ body: (Int64) throws(ShellError) -> Void
    ) throws(ShellError) -> Int {
        var failures: [ShellError] = []
        for seq in numbers {
            do throws(ShellError) { try body(seq) } catch {
                guard numbers.count > 1, [.refused, .notFound].contains(error.kind) else {
                    throw error
                }
                failures.append(error)
            }
        }
        for failure in failures.prefix(10) {
            console.warn(failure.lines(), lines: .kept)
        }
        if failures.count > 10 { console.warn("and \(failures.count - 10) more like that") }
        return numbers.count - failures.count
    }

    /// Runs one repair in a transaction of its own and says what stood in its way.
    ///
    /// - Returns: Nil where `body` gave no outcome: then nothing was done.
    @discardableResult
    private func repair(
        _ seq: Int64, _ open: OpenWorkspace,
        _ body: () throws(StoreError) -> RepairOutcome?
    ) throws(ShellError) -> Void? {
        let outcome = try stored { () throws(StoreError) in
            try open.store.write { () throws(StoreError) in try body() }
        }
        switch outcome {
        case nil: return nil
        case .done: return ()
        case .notFound: throw ShellError(.notFound, "the queue has no number \(seq)")
        case .inFlight:
            throw ShellError(
                .refused, "number \(seq) is on its way: what became of it must be known first",
                hint: "satchel sync finds out")
        case .refused(let reason): throw ShellError(.refused, "number \(seq): \(reason)")
        }
    }
}
