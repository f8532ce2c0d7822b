internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage

extension Session {
    func initialise(_ request: InitRequest) throws(ShellError) {
        let folder = request.directory ?? options.workspace ?? "."
        _ = try Workspace.freeFolder(folder)
        let start = try start(request, in: folder)
        let backend = if let given = start.backend { given } else { try backend(of: request) }
        let schema = try readSchema(start.text, named: start.name)
        for note in schema.notes where !start.followsRules || !Self.isOfRules(note) {
            console.note(note)
        }
        if options.isDryRun {
            console.note("\(folder) would become a workspace; nothing was done")
            return
        }
        let workspace = try Workspace.create(
            in: folder, schema: start.isKept ? nil : start.text, backend: backend?.name,
            config: backend?.config ?? JSONObject()
        ) { (workspace) throws(ShellError) in
            if let data = start.data { try fill(workspace, data) }
        }
        try keepSecrets(start.secrets, of: workspace)
        try trustOwnWriting(workspace)
        tellNext(workspace, folder, start, schema)
    }
}

extension Session {
    /// True for what a schema's notes say of `@auth` and of the rule for all models, which a project of
    /// Amplify's is asked for by.
    private static func isOfRules(_ note: String) -> Bool {
        note.contains("@auth has no effect here")
            || note.contains("input AMPLIFY has no effect here")
    }
}

// MARK: - What to begin with

/// A schema, and the records that come with it.
private struct Start {
    var text: [UInt8]
    /// The file's name in messages.
    var name: String
    /// True for a file that is in its place already.
    var isKept = false
    /// True for the example that is there to be changed.
    var isExample = false
    var data: ISO3166?
    /// True where its rules say how the models are asked for.
    var followsRules = false
    /// The backend that comes with it.
    var backend: ChosenBackend?
    var secrets = JSONObject()
}

/// A backend and its settings.
private typealias ChosenBackend = (name: String, config: JSONObject)

extension Session {
    private func start(_ request: InitRequest, in folder: String) throws(ShellError) -> Start {
        let place = Path.join(folder, "schema.graphql")
        let present = try existing(place)
        switch request.start {
        case .amplify(let file):
            let found = try amplify(request, file)
            // The project's own file stays as it is.
            let text = present == found.original ? found.original : found.text
            try refuseOverwriting(place, present, with: text)
            return Start(
                text: text, name: found.name, followsRules: true,
                backend: ("graphql", found.config), secrets: found.secrets)
        case .demo:
            let text = Array(StarterSchema.iso3166.utf8)
            try refuseOverwriting(place, present, with: text)
            return Start(
                text: text, name: "schema.graphql", data: try ISO3166.read(environment))
        case .schema(let file):
            let source = InputSource(file)
            let text = try bytes(of: source)
            try refuseOverwriting(place, present, with: text)
            return Start(text: text, name: source.shownName)
        case nil:
            if let present { return Start(text: present, name: place, isKept: true) }
            return Start(
                text: Array(StarterSchema.example.utf8), name: "schema.graphql", isExample: true)
        }
    }

    /// The schema that is in the folder already.
    private func existing(_ path: String) throws(ShellError) -> [UInt8]? {
        do throws(SystemError) { return try Files.read(path, limit: 16 << 20) } catch {
            if error.kind == .notFound { return nil }
            throw ShellError(error)
        }
    }

    private func refuseOverwriting(
        _ path: String, _ present: [UInt8]?, with text: [UInt8]
    ) throws(ShellError) {
        guard let present, present != text else { return }
        throw ShellError(
            .exists, "\(path) is there already, with other models",
            hint: "init without --schema, --demo and --amplify keeps it; or take it away first")
    }

    private func readSchema(_ text: [UInt8], named name: String) throws(ShellError) -> Schema {
        let schema = try meaning { () throws(RecordsError) in
            try Schema.parse(bytes: text, file: name)
        }
        guard !schema.models.isEmpty else {
            throw ShellError(
                .schema, "\(name) has no models",
                hint: "a model is written: type Post @model { id: ID! title: String! }")
        }
        return schema
    }

    /// The backend the words ask for; nil for none.
    private func backend(of request: InitRequest) throws(ShellError) -> ChosenBackend? {
        var config = try Workspace.backendSettings(request.settings)
        if case .demo? = request.start, request.backend ?? "folder" == "folder",
            config["path"] == nil
        {
            config.append("path", "remote")
        }
        guard let name = request.backend ?? (config.isEmpty ? nil : "folder") else { return nil }
        try requireFolder(name, config)
        return (name, config)
    }
}

// MARK: - Doing it

extension Session {
    /// Queues the creation of every record, in one transaction.
    private func fill(_ workspace: Workspace, _ data: ISO3166) throws(ShellError) {
        let open = try open(workspace)
        let group = identifiers.next()
        var progress = console.progress(
            "reading ISO 3166", total: data.countries.count + data.subdivisions.count,
            clock: clock)
        defer { progress.finish() }
        try open.store.write(
            { () throws(ShellError) in
                for (name, records) in [
                    ("Country", data.countries), ("Subdivision", data.subdivisions),
                ] {
                    let model = try open.model(name)
                    for record in records {
                        try queueCreate(record, model, group, open)
                        progress.advance()
                    }
                }
            }, mapping: { ShellError($0) })
    }

    private func queueCreate(
        _ entry: JSONObject, _ model: Model, _ group: String, _ open: OpenWorkspace
    ) throws(ShellError) {
        let (id, record) = try meaning { () throws(RecordsError) in
            let set = try model.validate(data: entry, in: open.schema)
            let record = try model.complete(create: set, newID: identifiers.next)
            return (model.id(of: record), record)
        }
        guard let id else { throw ShellError(.input, "a \(model.name) has no code") }
        // One that is there was left by an attempt that came to no end.
        _ = try stored { () throws(StoreError) in
            try open.outbox.create(model, id, record, group: group)
        }
    }

    private func tellNext(
        _ workspace: Workspace, _ folder: String, _ start: Start, _ schema: Schema
    ) {
        let models = Quantity.count(schema.models.count, "model")
        var lines = ["\(workspace.root) is a workspace now, with \(models)"]
        if let data = start.data {
            lines[0] +=
                ", \(Quantity.count(data.countries.count, "country", plural: "countries")) and "
                + Quantity.count(data.subdivisions.count, "subdivision")
        }
        let isElsewhere = Path.normalise(folder) != "."
        if isElsewhere { lines.append("  go there:          cd \(folder.quotedForShell)") }
        // A backend with an address of its own may have models of its own.
        let hasOwnModels = workspace.context.backend.map { $0 != "folder" } ?? false
        if start.isExample {
            let file = Path.normalise(Path.join(folder, workspace.config.schema))
            lines.append("  write your models: \(file)")
            if hasOwnModels {
                lines.append("  or take its own:   satchel schema pull, if the backend has any")
            }
        }
        if let model = schema.models.first, !start.isExample || !hasOwnModels {
            lines.append("  look around:       satchel list \(model.name)")
        }
        if let backend = workspace.context.backend {
            let asked = secretsAsked(of: workspace)
            let needsLogin =
                asked.map { $0.contains { start.secrets[$0] == nil } }
                ?? (start.secrets.isEmpty && finds(backend, workspace))
            if backend != "folder", needsLogin {
                lines.append("  let it in:         satchel auth login")
            }
            lines.append("  exchange changes:  satchel sync")
        } else {
            lines += [
                "  there is no backend yet, so changes stay here; to deliver them to a folder:",
                "    satchel context add default --backend folder --set path=DIR",
            ]
        }
        console.note(Sanitizer.lines(lines), lines: .kept)
        if let backend = workspace.context.backend { warnOfMissing(backend, workspace) }
        warnOfMistakes(workspace)
        warnOfPlainSecrets(workspace)
    }
}

extension String {
    /// As one word of a command line of the system's shell.
    var quotedForShell: String {
        let isPlain = utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "_-./~".utf8.contains(byte)
        }
        if isPlain, !isEmpty { return self }
        return "'"
            + split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
