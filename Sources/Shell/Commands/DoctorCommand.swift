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
struct Finding: Listed {
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
final class Doctor {
    let session: Session
    private(set) var findings: [Finding] = []
    private(set) var code = ExitCode.done
    /// Of the store, once that is known.
    private var path: String?

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
        path = workspace.storePath
        let schema = examineSchema(workspace)
        examineTrust(workspace)
        examineBackend(workspace)
        examineSettings(workspace, schema)
        examinePrograms(workspace)
        examinePermissions(workspace)
        examineStrayStores(workspace)
        guard examineStore(workspace), let schema else { return }
        examineChange(to: schema, workspace)
        guard
            let open = attempt("queue", { () throws(ShellError) in try session.open(workspace) })
        else { return }
        examineRecords(open)
        examineQueue(open)
        examineLeftovers(open)
        examineLease(open)
        examineReach(open)
    }

    func note(_ check: String, _ detail: String, hint: String? = nil) {
        findings.append(Finding(check: check, isFine: true, detail: detail, hint: hint))
    }

    func fault(
        _ check: String, _ detail: String, hint: String? = nil, code: ExitCode = .failed
    ) {
        findings.append(Finding(check: check, isFine: false, detail: detail, hint: hint))
        // A damaged store is the worst that can be found.
        if self.code != .store { self.code = code }
    }

    /// What a step gives; its error becomes the finding.
    func attempt<T>(
        _ check: String, _ body: () throws(ShellError) -> T
    ) -> T? {
        do throws(ShellError) { return try body() } catch {
            let isDamage = error.exitCode == .store
            fault(
                check, error.message,
                hint: isDamage ? hint(for: error) : error.hint,
                code: isDamage ? .store : .failed)
            return nil
        }
    }
}

extension Doctor {
    /// What to do about a store that cannot be read, where the error itself knows no better than to
    /// ask doctor, or to keep a copy.
    private func hint(for error: ShellError) -> String? {
        guard let path, error.kind == .store else { return error.hint }
        guard let hint = error.hint, !hint.hasPrefix("satchel doctor") else {
            return "keep a copy of \(path); \(Self.anew(path))"
        }
        return hint.hasPrefix("keep a copy") ? "\(hint); \(Self.anew(path))" : hint
    }
}

// MARK: - Files

extension Doctor {
    /// The schema, where it can be used.
    private func examineSchema(_ workspace: Workspace) -> Schema? {
        let read = attempt("schema") { () throws(ShellError) in
            let bytes = try session.schemaFile(workspace).bytes
            return Schema.check(bytes: bytes, file: workspace.config.schema)
        }
        guard let (schema, errors) = read else { return nil }
        guard let first = errors.first else {
            note(
                "schema",
                "\(workspace.config.schema): \(Quantity.count(schema.models.count, "model"))")
            return schema
        }
        fault(
            "schema", first.message,
            hint: errors.count == 1
                ? first.hint : "all mistakes: satchel schema check \(workspace.config.schema)")
        return nil
    }

    /// What the schema has no place for, before the store is brought to it.
    private func examineChange(to schema: Schema, _ workspace: Workspace) {
        let forecast = attempt("schema") { () throws(ShellError) in
            try session.stored { () throws(StoreError) in
                try Store.forecast(at: workspace.storePath, adopting: schema)
            }
        }
        for mutation in forecast?.parked.prefix(10) ?? [] {
            fault(
                "schema", "queue number \(mutation.seq) does not fit it",
                hint: mutation.failure?.message)
        }
        if let forecast, forecast.parked.count > 10 {
            fault("schema", "and \(forecast.parked.count - 10) more like that")
        }
    }

    private func examineTrust(_ workspace: Workspace) {
        let isTrusted = attempt(
            "trust", { () throws(ShellError) in try session.isTrusted(workspace) })
        guard let isTrusted else { return }
        if isTrusted {
            let changed = attempt(
                "trust", { () throws(ShellError) in try session.changedPrograms(of: workspace) })
            if let first = changed?.first {
                fault("trust", first, hint: "look and consent: satchel trust")
            } else if changed != nil {
                note("trust", "it may start its programs")
            }
        } else if workspace.context.backend == nil, workspace.config.commandLines.isEmpty {
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

    /// What is set, and nobody would follow.
    private func examineSettings(_ workspace: Workspace, _ schema: Schema?) {
        if let complaint = session.complaint(about: workspace.context.config, of: workspace) {
            fault("settings", complaint.message, hint: complaint.hint)
        }
        if let schema, let mistake = session.mistakeInModels(workspace, schema) {
            fault("settings", "models: \(mistake.message)", hint: mistake.hint)
        }
    }

    /// Stores, secrets, consents and what was typed are their owner's alone.
    private func examinePermissions(_ workspace: Workspace) {
        let before = findings.count
        let store = workspace.storePath
        for path in [workspace.statePath, store, "\(store)-wal", "\(store)-shm"] {
            examinePermissions(of: path, forbidden: 0o077)
            if Files.exists(path), !Files.isWritable(path) {
                fault(
                    "permissions", "\(path) cannot be written",
                    hint: "no change can be kept: chmod u+w \(path), or mount its disk read-write")
            }
        }
        let state = Path.join(session.environment.stateHome, "satchel")
        examinePermissions(of: Path.join(state, "history"), forbidden: 0o077)
        // Whoever may write there may consent in this user's name.
        examinePermissions(of: state, forbidden: 0o022)
        examinePermissions(of: Path.join(state, "trusted.json"), forbidden: 0o022)
        examinePermissions(of: Path.join(state, "secrets"), forbidden: 0o022)
        let secrets = attempt("permissions") { () throws(ShellError) in
            try session.secretStore(of: workspace).keys()
        }
        if findings.count == before, secrets != nil {
            note("permissions", "only you can read the store, the secrets and the history")
        }
    }

    private func examinePermissions(of path: String, forbidden: UInt32) {
        guard Files.exists(path) else { return }
        let status: Files.Status
        do throws(SystemError) { status = try Files.status(path) } catch {
            return fault("permissions", error.message)
        }
        guard status.owner == Machine.userID else {
            return fault("permissions", "\(path) belongs to another user")
        }
        guard status.mode & forbidden != 0 else { return }
        fault(
            "permissions",
            "others may use \(path): its mode is \(String(status.mode, radix: 8))",
            hint: "chmod \(status.isDirectory ? "700" : "600") \(path)")
    }
}
