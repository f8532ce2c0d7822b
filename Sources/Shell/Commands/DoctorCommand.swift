internal import JSON
internal import Outbox
internal import Platform
internal import Plugins
internal import Records
internal import Storage

extension Session {
    /// Looks at everything a workspace stands on; repairs nothing.
    func doctor() throws(ShellError) -> ExitCode {
        let doctor = Doctor(session: self)
        doctor.examine()
        try listing().write(doctor.findings, to: output)
        return doctor.code
    }
}

/// What one check found.
private struct Finding: Listed {
    let check: String
    let isFine: Bool
    let detail: String
    var hint: String?

    static let keys = ["check", "ok", "detail", "hint"]
    static var columns: [Column] { Column.values("check", "", "detail", "hint") }
    var values: [JSONValue] {
        [.string(check), .bool(isFine), .string(detail), hint.map(JSONValue.string) ?? .null]
    }
    var cells: [JSONValue] {
        [
            .string(check), .string(isFine ? "ok" : "WRONG"), .string(detail),
            hint.map(JSONValue.string) ?? .null,
        ]
    }
    var handle: JSONValue { .string(check) }
}

/// Runs the checks, each as far as those before it let it come.
private final class Doctor {
    let session: Session
    private(set) var findings: [Finding] = []
    private(set) var code = ExitCode.done

    init(session: Session) { self.session = session }

    func examine() {
        guard
            let workspace = attempt(
                "workspace",
                { () throws(ShellError) in
                    try session.findWorkspace()
                })
        else { return }
        note("workspace", workspace.root)
        let isReadable = examineSchema(workspace)
        examineTrust(workspace)
        examineBackend(workspace)
        examinePermissions(workspace)
        examineStrayStores(workspace)
        guard examineStore(workspace), isReadable,
            let open = attempt("queue", { () throws(ShellError) in try session.open(workspace) })
        else { return }
        examineQueue(open)
        examineLease(open)
    }

    private func note(_ check: String, _ detail: String, hint: String? = nil) {
        findings.append(Finding(check: check, isFine: true, detail: detail, hint: hint))
    }

    private func fault(
        _ check: String, _ detail: String, hint: String? = nil, code: ExitCode = .failed
    ) {
        findings.append(Finding(check: check, isFine: false, detail: detail, hint: hint))
        // A damaged store is the worst that can be found.
        if self.code != .store { self.code = code }
    }

    /// What a step gives; its error becomes the finding.
    private func attempt<T>(
        _ check: String, _ body: () throws(ShellError) -> T
    ) -> T? {
        do throws(ShellError) { return try body() } catch {
            fault(
                check, error.message, hint: error.hint,
                code: error.exitCode == .store ? .store : .failed)
            return nil
        }
    }
}

// MARK: - Files

extension Doctor {
    /// True when the schema can be used.
    private func examineSchema(_ workspace: Workspace) -> Bool {
        let read = attempt("schema") { () throws(ShellError) in
            let bytes = try session.schemaFile(workspace).bytes
            return Schema.check(bytes: bytes, file: workspace.config.schema)
        }
        guard let (schema, errors) = read else { return false }
        guard let first = errors.first else {
            note(
                "schema",
                "\(workspace.config.schema): \(Quantity.count(schema.models.count, "model"))")
            return true
        }
        fault(
            "schema", first.message,
            hint: errors.count == 1
                ? first.hint : "all mistakes: satchel schema check \(workspace.config.schema)")
        return false
    }

    private func examineTrust(_ workspace: Workspace) {
        let isTrusted = attempt(
            "trust", { () throws(ShellError) in try session.isTrusted(workspace) })
        guard let isTrusted else { return }
        if isTrusted {
            note("trust", "it may start its programs")
        } else if workspace.context.backend == nil, workspace.config.hooks.isEmpty {
            note("trust", "not trusted, and it starts no program")
        } else {
            fault(
                "trust", "the workspace is not trusted: nothing can be synced",
                hint: "look and consent: satchel trust")
        }
    }

    private func examineBackend(_ workspace: Workspace) {
        guard let name = workspace.context.backend else {
            return note(
                "backend", "none: changes stay here",
                hint: "satchel context add \(workspace.context.name) --backend NAME")
        }
        let locator = PluginLocator(
            environment: session.environment, executable: session.executable,
            workspace: workspace.root, isTrusted: true)
        do throws(PluginError) {
            note("backend", "\(name) is \(try locator.locate(name))")
        } catch {
            fault("backend", error.message, hint: error.hint)
        }
    }

    /// Stores and secrets are their owner's alone.
    private func examinePermissions(_ workspace: Workspace) {
        var isFine = true
        let store = workspace.storePath
        for path in [workspace.statePath, store, "\(store)-wal", "\(store)-shm"]
        where Files.exists(path) {
            let status: Files.Status
            do throws(SystemError) { status = try Files.status(path) } catch {
                fault("permissions", error.message)
                isFine = false
                continue
            }
            let wanted = status.isDirectory ? "700" : "600"
            if status.owner != Machine.userID {
                fault("permissions", "\(path) belongs to another user")
                isFine = false
            } else if status.mode & 0o077 != 0 {
                fault(
                    "permissions",
                    "others may use \(path): its mode is \(String(status.mode, radix: 8))",
                    hint: "chmod \(wanted) \(path)")
                isFine = false
            }
        }
        let secrets = attempt("permissions") { () throws(ShellError) in
            try session.secretStore(of: workspace).keys()
        }
        if isFine, secrets != nil { note("permissions", "only you can read store and secrets") }
    }
}

// MARK: - The store

extension Doctor {
    /// Finds undelivered work of contexts that are no longer in `satchel.json`.
    private func examineStrayStores(_ workspace: Workspace) {
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
    private func examineStore(_ workspace: Workspace) -> Bool {
        let path = workspace.storePath
        let found = attempt("store") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in try Store.integrityProblems(at: path) }
        }
        guard let found else { return false }
        guard found.isEmpty else {
            fault(
                "store", found.joined(separator: "\n"),
                hint: "keep a copy of \(path), then export what can be read", code: .store)
            return false
        }
        note("store", "SQLite finds it sound")
        return true
    }

    private func examineQueue(_ open: OpenWorkspace) {
        let found = attempt("queue") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in
                try open.store.read { () throws(StoreError) in
                    (
                        orphans: try open.store.orphans(), records: try open.outbox.examine(),
                        counts: try open.store.mutationCounts()
                    )
                }
            }
        }
        guard let found else { return }
        let records = found.records
        for key in records.wrong {
            fault(
                "records",
                "\(key.model) \(key.id) is not what its base and its queued changes give",
                hint: "keep a copy of the store, and report it")
        }
        if records.wrongCount > records.wrong.count {
            fault("records", "and \(records.wrongCount - records.wrong.count) more like that")
        }
        if records.wrongCount == 0 {
            note(
                "records",
                "\(Quantity.count(records.examined, "record")) with queued changes examined; the "
                    + "others are as the backend gave them")
        }
        if found.orphans.total > 0 {
            fault(
                "queue",
                "left over: \(found.orphans.bases) bases, \(found.orphans.dependencies) "
                    + "dependencies, \(found.orphans.waiting) waiting for nothing",
                hint: "they do no harm to what is delivered; report it")
        } else {
            note("queue", queueText(found.counts), hint: queueHint(found.counts))
        }
        if records.foreign > 0 {
            note(
                "queue",
                "\(Quantity.count(records.foreign, "change")) of models the schema no longer has",
                hint: "bring the models back, or drop them: satchel queue")
        }
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

    private func examineLease(_ open: OpenWorkspace) {
        let lease = attempt("lease") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in try open.store.lease() }
        }
        guard let lease else { return }
        guard let lease else { return note("lease", "nobody is pushing") }
        let isAlive = lease.bootID == Machine.bootID && Machine.isAlive(lease.pid)
        let isOver = lease.expiresAt <= session.clock.now()
        note(
            "lease",
            isAlive && !isOver
                ? "process \(lease.pid) is pushing"
                : "left by process \(lease.pid); the next sync takes it over")
    }
}
