internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Sync

extension Session {
    /// Makes the backend's models those of the workspace.
    func pullSchema() throws(ShellError) {
        let workspace = try findWorkspace()
        let recipe = try recipe(workspace, schema: try schemaIfAny(workspace))
        let answer = try withPlugin(recipe) { (backend) throws(ShellError) in
            try answered { () throws(BackendError) in try backend.schema() }
        }
        let name = "the backend's schema"
        let (text, schema): (String, Schema)
        switch answer {
        case .sdl(let sdl):
            text = sdl.utf8.last == 0x0A ? sdl : sdl + "\n"
            schema = try meaning { () throws(RecordsError) in
                try Schema.parse(sdl, file: name)
            }
        case .models(let members):
            schema = try meaning { () throws(RecordsError) in
                try Schema(protocolJSON: .object(members))
            }
            text = schema.sdl
        }
        for note in schema.notes { console.detail(note) }
        try adopt(text, schema, workspace)
    }

    private func adopt(_ text: String, _ schema: Schema, _ workspace: Workspace)
        throws(ShellError)
    {
        let file = workspace.config.schema
        let models = Quantity.count(schema.models.count, "model")
        let present = try presentSchema(workspace)
        if present?.text == Array(text.utf8) {
            return console.note("\(file) is the backend's already, with \(models)")
        }
        var differences: [String] = []
        if let present { differences = present.schema.map { $0.differences(to: schema) } ?? [] }
        if options.isDryRun {
            for line in differences { console.note("  \(line)") }
            return console.note("\(file) would have \(models); nothing was done")
        }
        let isExample = present?.text == Array(StarterSchema.example.utf8)
        // Nobody misses the example that init wrote, unless there is work on it.
        let work = try queueLength(of: workspace.context.name, workspace)
        if present != nil, !isExample || work > 0 {
            try consent(to: "replace \(file) by the backend's schema", showing: differences)
        }
        try written { () throws(SystemError) in
            try Files.replace(workspace.schemaPath, with: Array(text.utf8), mode: 0o644)
        }
        console.note("\(file) has the backend's \(models) now")
        if isExample, let model = schema.models.first {
            console.note(
                spoken("  fetch their records: satchel sync, then: satchel list \(model.name)"))
        }
    }

    /// The schema that is there; its models are nil where it is broken.
    private func presentSchema(_ workspace: Workspace) throws(ShellError)
        -> (text: [UInt8], schema: Schema?)?
    {
        do throws(SystemError) {
            let text = try Files.read(workspace.schemaPath, limit: 16 << 20)
            let (schema, errors) = Schema.check(bytes: text)
            return (text, errors.isEmpty ? schema : nil)
        } catch {
            if error.kind == .notFound { return nil }
            throw ShellError(error)
        }
    }
}

extension Schema {
    /// What `newer` adds, removes and changes, a model a line.
    fileprivate func differences(to newer: Schema) -> [String] {
        var lines: [String] = []
        for model in newer.models where self.model(model.name) == nil {
            lines.append("adds \(model.name)")
        }
        for model in models {
            guard let now = newer.model(model.name) else {
                lines.append("removes \(model.name)")
                continue
            }
            if now != model { lines.append("changes \(model.name)") }
        }
        return lines
    }
}
