internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage
internal import Sync

extension Doctor {
    /// Finds undelivered work of contexts that are no longer in `satchel.json`.
    func examineStrayStores(_ workspace: Workspace) {
        var known = workspace.config.contexts.map(\.name)
        if known.isEmpty { known = [workspace.context.name] }
        let names = attempt("contexts") { () throws(ShellError) -> [String] in
            guard Files.isDirectory(workspace.statePath) else { return [] }
            return try Workspace.system { () throws(SystemError) in
                try Files.list(workspace.statePath)
            }
        }
        var isFine = names != nil
        for file in names ?? [] where file.hasSuffix(".sqlite") {
            let name = String(file.dropLast(7))
            if known.contains(where: { $0.sameBytes(as: name) }) { continue }
            let count = attempt(
                "contexts",
                { () throws(ShellError) in try session.queueLength(of: name, workspace) })
            guard let count, count > 0 else { continue }
            fault(
                "contexts",
                "\(Quantity.count(count, "undelivered change")) of the context \(name), which "
                    + "satchel.json no longer has",
                hint: "satchel context add \(name) --backend NAME")
            isFine = false
        }
        if isFine { note("contexts", known.joined(separator: ", ")) }
    }
}

extension Doctor {
    /// True when the store is sound.
    func examineStore(_ workspace: Workspace) -> Bool {
        let path = workspace.storePath
        guard Files.exists(path) else {
            note("store", "there is none yet: the first command that needs it makes it")
            return false
        }
        let found = attempt("store") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in try Store.integrityProblems(at: path) }
        }
        guard let found else { return false }
        guard found.isEmpty else {
            fault(
                "store", found.joined(separator: "\n"),
                hint: "keep a copy of \(path), then export what can be read; \(Self.anew(path))",
                code: .store)
            return false
        }
        note("store", "SQLite finds it sound")
        return true
    }

    /// How to go on where a store cannot be mended.
    static func anew(_ path: String) -> String {
        "once \(path) is moved away, satchel sync fetches what the backend has; undelivered changes "
            + "are in the copy alone"
    }

    /// Every record can be read, and is what its base and its queued changes give.
    func examineRecords(_ open: OpenWorkspace) {
        let found = attempt("records") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in
                try open.store.read { () throws(StoreError) in
                    (
                        reading: try open.store.readRecords(), queued: try open.outbox.examine(),
                        bare: try open.store.recordsWithoutBase(limit: 10)
                    )
                }
            }
        }
        guard let (reading, queued, bare) = found else { return }
        let before = findings.count
        let copy = "keep a copy of \(open.workspace.storePath) and report it"
        for key in reading.unreadable {
            fault(
                "records", "\(key.model) \(key.id) cannot be read",
                hint: "\(copy); satchel sync pull \(key.model) --full fetches it anew")
        }
        for key in queued.wrong where !reading.unreadable.contains(key) {
            fault(
                "records",
                "\(key.model) \(key.id) is not what its base and its queued changes give",
                hint: "\(copy); what is queued is kept, and satchel sync brings the record right")
        }
        for key in bare where !queued.wrong.contains(key) {
            fault(
                "records", "\(key.model) \(key.id) has queued changes, but not what they change",
                hint: "\(copy); what is queued is kept, and satchel sync brings the record right")
        }
        let untold =
            reading.unreadableCount - reading.unreadable.count + queued.wrongCount
            - queued.wrong.count
        if untold > 0 { fault("records", "and \(untold) more like that") }
        if findings.count == before {
            note(
                "records",
                "\(Quantity.count(reading.examined, "record")) read; all "
                    + "\(Quantity.grouped(queued.examined)) with queued changes are what base and "
                    + "changes give")
        }
        if queued.foreign > 0 {
            note(
                "records",
                "\(Quantity.count(queued.foreign, "change")) of models the schema no longer has",
                hint: "bring the models back, or drop them: satchel queue")
        }
    }

    func examineQueue(_ open: OpenWorkspace) {
        let found = attempt("queue") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in
                try open.store.read { () throws(StoreError) in
                    (
                        orphans: try open.store.orphans(),
                        silent: try open.store.mutationsWithoutReason(),
                        counts: try open.store.mutationCounts(),
                        quarantined: try open.store.quarantineCount()
                    )
                }
            }
        }
        guard let (orphans, silent, counts, quarantined) = found else { return }
        let before = findings.count
        if orphans.bases > 0 {
            fault(
                "queue",
                "\(Quantity.count(orphans.bases, "base")) of records without queued changes",
                hint: "they stand in nothing's way: report it")
        }
        if orphans.dependencies > 0 || orphans.waiting > 0 {
            fault(
                "queue",
                "\(Quantity.count(orphans.dependencies, "dependency", plural: "dependencies")) on "
                    + "changes that are not there, \(Quantity.count(orphans.waiting, "change")) waiting for nothing",
                hint: "see which wait: satchel queue; then free them: satchel queue retry N")
        }
        if silent > 0 {
            fault(
                "queue", "\(Quantity.count(silent, "parked change")) without a reason",
                hint: "look and offer again: satchel queue, satchel queue retry N")
        }
        if findings.count == before { note("queue", queueText(counts), hint: queueHint(counts)) }
        if quarantined > 0 {
            note(
                "quarantine", "\(Quantity.count(quarantined, "item")) not understood",
                hint: "satchel quarantine")
        }
    }

    /// What nobody needs, and lines of the feed that nobody can read.
    func examineLeftovers(_ open: OpenWorkspace) {
        let found = attempt("feed") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in
                try open.store.read { () throws(StoreError) in
                    (
                        leftovers: try open.store.leftovers(),
                        foreign: try open.store.foreignChanges()
                    )
                }
            }
        }
        guard let (leftovers, foreign) = found else { return }
        if foreign > 0 {
            fault(
                "feed", "\(Quantity.count(foreign, "line")) of the log cannot be understood",
                hint: "a newer satchel may have written them: use that one")
        }
        let counts = [
            (leftovers.cursors, "cursor of a model that is gone"),
            (leftovers.seen, "record noted by a full pull that is over"),
            (leftovers.undo, "step of undo that no command can reach"),
            (leftovers.quarantine, "piece of quarantined data of a model that is gone"),
        ].filter { $0.0 > 0 }
        guard !counts.isEmpty else { return }
        note(
            "leftovers", counts.map { "\($0.0) × \($0.1)" }.joined(separator: ", "),
            hint: "they do no harm")
    }

    private func queueText(_ counts: [Mutation.State: Int]) -> String {
        let total = counts.values.reduce(0, +)
        let apart = [Mutation.State.conflict, .rejected].compactMap { state in
            counts[state].map { "\($0) \(state.rawValue)" }
        }
        return ([Quantity.count(total, "undelivered change")] + apart).joined(separator: ", ")
    }

    private func queueHint(_ counts: [Mutation.State: Int]) -> String? {
        if counts[.conflict] != nil { return "satchel conflicts" }
        return counts[.rejected] == nil ? nil : "satchel queue"
    }

    func examineLease(_ open: OpenWorkspace) {
        let lease = attempt("lease") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in try open.store.lease() }
        }
        guard let lease else { return }
        guard let lease else { return note("lease", "nobody is pushing") }
        let isAlive = lease.bootID == Machine.bootID && Machine.isAlive(lease.pid)
        let left = lease.expiresAt - session.clock.now()
        // As long as no lease lasts: it was taken before the clock was set back.
        let isForeign = left > 10 * SyncEngine.leaseMilliseconds
        note(
            "lease",
            isAlive && left > 0 && !isForeign
                ? "process \(lease.pid) is pushing"
                : "left by process \(lease.pid); the next sync takes it over")
    }
}
