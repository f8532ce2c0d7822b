internal import JSON
package import Outbox
internal import Platform
package import Records
package import Storage
internal import Sync

/// A workspace whose schema is read and whose store is open.
package final class OpenWorkspace {
    package let workspace: Workspace
    package let schema: Schema
    package let store: Store
    package let outbox: Outbox
    /// Names the content of the schema file.
    let schemaHash: String
    /// Identity and state of the schema file when it was read, to see changes of it.
    let schemaStamp: Files.Status

    init(
        workspace: Workspace, schema: Schema, store: Store, outbox: Outbox,
        schemaHash: String, schemaStamp: Files.Status
    ) {
        self.workspace = workspace
        self.schema = schema
        self.store = store
        self.outbox = outbox
        self.schemaHash = schemaHash
        self.schemaStamp = schemaStamp
    }

    /// The same store and models, with what `satchel.json` says now.
    func with(_ workspace: Workspace) -> OpenWorkspace {
        OpenWorkspace(
            workspace: workspace, schema: schema, store: store, outbox: outbox,
            schemaHash: schemaHash, schemaStamp: schemaStamp)
    }
}

extension Session {
    /// The workspace and store that the command's options mean, opened once for a session.
    func workspace() throws(ShellError) -> OpenWorkspace {
        if let opened, isStill(opened) {
            if isInteractive { try requireStore(opened) }
            return opened
        }
        let isBatching = opened?.store.isInBatch ?? false
        if isBatching { throw ShellError(.usage, "a script keeps one workspace and context") }
        opened = nil
        let fresh = try open(try findWorkspace())
        opened = fresh
        return fresh
    }

    /// The workspace that the command's options mean; its schema may be missing or wrong.
    func findWorkspace() throws(ShellError) -> Workspace {
        try Workspace.open(
            workspace: options.workspace ?? base.workspace,
            context: options.context ?? base.context, environment: environment)
    }

    /// Reads the workspace anew after its settings changed; at the prompt at once, so that
    /// background sync follows.
    func reopen() {
        let before = opened
        opened = nil
        guard isInteractive else { return }
        do throws(ShellError) { _ = try workspace() } catch { console.warn(error.message) }
        // Until here: whoever compares the two must not meet a new one in the old one's place.
        withExtendedLifetime(before) {}
    }

    /// A store that was deleted while the prompt runs would swallow what is written to it.
    private func requireStore(_ opened: OpenWorkspace) throws(ShellError) {
        guard !Files.exists(opened.workspace.storePath) else { return }
        throw ShellError(
            .store, "the store \(opened.workspace.storePath) was removed while it was in use",
            hint: "leave the prompt and start it again for a new one")
    }

    private func isStill(_ opened: OpenWorkspace) -> Bool {
        if let context = options.context ?? base.context,
            context != opened.workspace.context.name
        {
            return false
        }
        if let root = options.workspace, root != base.workspace { return false }
        guard isInteractive else { return true }
        do throws(SystemError) {
            return try Files.status(opened.workspace.schemaPath) == opened.schemaStamp
        } catch {
            return false
        }
    }

    /// Reads the schema of a workspace and opens the store of its context.
    func open(_ workspace: Workspace) throws(ShellError) -> OpenWorkspace {
        let (bytes, stamp) = try schemaFile(workspace)
        let schema: Schema
        do throws(RecordsError) {
            schema = try Schema.parse(bytes: bytes, file: workspace.config.schema)
        } catch {
            throw ShellError(error)
        }
        try workspace.makeState()
        let interrupt = interrupt
        let hash = ContentHash.fast(bytes)
        let store: Store
        do throws(ShellError) {
            store = try stored { () throws(StoreError) in
                try Store(
                    path: workspace.storePath, schema: schema, schemaHash: hash,
                    options: StoreOptions(
                        busyTimeoutMilliseconds: 30_000, isInterrupted: { interrupt.isRaised },
                        adopt: Outbox.adopter(
                            now: clock.now, makeKey: identifiers.next,
                            policies: workspace.policies(of:))))
            }
        } catch {
            throw workspace.isReadOnly ? workspace.unopened(error) : error
        }
        if store.parked > 0 {
            console.warn(
                "\(Quantity.count(store.parked, "queued change")) no longer "
                    + "\(store.parked == 1 ? "fits" : "fit") the schema: kept, not sent; see: "
                    + spoken("satchel queue"))
        }
        let outbox = Outbox(store: store, now: clock.now, makeKey: identifiers.next)
        return OpenWorkspace(
            workspace: workspace, schema: schema, store: store, outbox: outbox,
            schemaHash: hash, schemaStamp: stamp)
    }

    /// The text of the workspace's schema, and the state of its file.
    func schemaFile(_ workspace: Workspace)
        throws(ShellError) -> (bytes: [UInt8], stamp: Files.Status)
    {
        let path = workspace.schemaPath
        try requireOwnSchema(workspace)
        do throws(SystemError) {
            return (
                try Files.read(path, limit: 16 << 20, regularOnly: true), try Files.status(path)
            )
        } catch {
            if error.kind == .notFound {
                throw ShellError(
                    .workspace, "the workspace has no \(workspace.config.schema)",
                    hint: "write the models there, or: satchel schema pull")
            }
            throw ShellError(error)
        }
    }
}

extension Workspace {
    /// True where the folder of the stores is there, and takes nothing new.
    fileprivate var isReadOnly: Bool {
        Files.exists(statePath) && !Files.isWritable(statePath)
    }

    /// SQLite keeps files beside a store while it is open, also where it is only read.
    fileprivate func unopened(_ error: ShellError) -> ShellError {
        guard error.kind == .notFound || error.isOfReadOnlyStore else { return error }
        return ShellError(
            .store, "the store \(storePath) cannot be opened: \(statePath) cannot be written",
            hint: adviceForReadOnly)
    }

    /// What to do where nothing can be written.
    var adviceForReadOnly: String {
        "no change can be kept: mount its disk read-write, or chmod u+w what belongs to you; "
            + "see: satchel doctor"
    }
}

extension OpenWorkspace {
    /// The model of that name, or an error that says which there are.
    func model(_ name: String) throws(ShellError) -> Model {
        if let model = schema.model(name) { return model }
        let names = schema.models.map(\.name)
        let list = names.prefix(12).joined(separator: ", ")
        throw .usage(
            "there is no model \"\(name)\"",
            hint: didYouMean(name, among: names).map { "did you mean \"\($0)\"?" }
                ?? (names.isEmpty ? "the schema has none" : "there is \(list)"))
    }

    func policies(of model: String) -> MergePolicies { workspace.policies(of: model) }
}

extension Workspace {
    /// Merge policies of a model, as `satchel.json` says.
    func policies(of model: String) -> MergePolicies {
        guard let config = config.models.first(where: { $0.name == model }) else {
            return MergePolicies(model: .manual, fields: [:])
        }
        var fields: [String: MergePolicy] = [:]
        for field in config.fields { fields[field.name] = MergePolicy(field.conflict) }
        return MergePolicies(
            model: config.conflict.map(MergePolicy.init) ?? .manual, fields: fields)
    }
}

extension MergePolicy {
    init(_ setting: ConflictSetting) {
        switch setting {
        case .manual: self = .manual
        case .server: self = .server
        case .local: self = .local
        case .max: self = .max
        case .min: self = .min
        case .union: self = .union
        case .counter: self = .counter
        case .command(let program): self = .command(program.command)
        }
    }
}
