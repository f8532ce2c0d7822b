internal import JSON
internal import Platform
internal import Records

extension Session {
    /// What an Amplify project's configuration says of its API and its models.
    func amplify(_ request: InitRequest, _ given: String) throws(ShellError) -> AmplifyStart {
        let file = try amplifyFile(given)
        let json: JSONValue
        let content = try bytes(of: InputSource(file))
        do throws(JSONError) { json = try AmplifyProject.json(in: content, of: file) } catch {
            throw ShellError(error, in: file)
        }
        var settings = try Workspace.backendSettings(request.settings)
        let api = settings["api"]?.text
        settings["api"] = nil
        if let backend = request.backend, backend != "graphql" {
            throw .usage(
                "--amplify is for the graphql backend, not \(backend)", hint: "leave out --backend")
        }
        var project = try AmplifyProject(json, file: file, api: api)
        var start: AmplifyStart
        if let (text, path) = try schemaText(of: project, beside: file) {
            start = AmplifyStart(text: text, name: path)
            // A text with mistakes is refused by whoever reads it next.
            let (models, mistakes) = Schema.check(bytes: text, file: path)
            if mistakes.isEmpty {
                let rules = AmplifyRules(sdl: text)
                project.follow(rules, models)
                start.text = SDLTypeHeads.adding(
                    rules.ownerFields(missingIn: models), to: text)
            }
        } else if let introspection = project.introspection {
            let models = try meaning { () throws(RecordsError) in
                try Schema(modelIntrospection: introspection)
            }
            let rules = AmplifyRules(introspection: introspection)
            project.follow(rules, models)
            let owned = models.withOwners(rules.ownerFields(missingIn: models))
            start = AmplifyStart(text: Array(owned.sdl.utf8), name: "the models of \(file)")
        } else {
            throw ShellError(
                .schema,
                "\(file) does not tell the models, and there is no schema.graphql beside it, nor one of "
                    + "\(project.name.map { "the API \($0)" } ?? "an API") in amplify/backend/api",
                hint: "put the project's schema.graphql there; or: satchel init --backend graphql "
                    + "--set url=URL, then satchel auth login and satchel schema pull")
        }
        start.config = project.config.overlaid(with: settings)
        start.secrets = project.secrets
        return start
    }

    /// The project's own schema, and where it is; nil where it has none.
    private func schemaText(
        of project: AmplifyProject, beside file: String
    ) throws(ShellError) -> (text: [UInt8], path: String)? {
        let found = try AmplifySchema.find(
            beside: Path.parent(file), of: project.name, isWhole: project.introspection != nil)
        guard let found else { return nil }
        var text: [UInt8] = []
        for path in found.files {
            if !text.isEmpty { text.append(0x0A) }
            text += try bytes(of: InputSource(path))
        }
        return (text, found.name)
    }

    /// The file itself, or the one of a project's folder.
    private func amplifyFile(_ given: String) throws(ShellError) -> String {
        guard Files.isDirectory(given) else { return given }
        let places = AmplifyProject.fileNames.flatMap { name in
            AmplifyProject.folders.map { Path.join(Path.join(given, $0), name) }
        }
        guard let found = places.first(where: Files.exists) else {
            let folders = AmplifyProject.folders.dropFirst().joined(separator: ", ")
            throw ShellError(
                .input,
                "\(given) has neither \(AmplifyProject.fileNames.joined(separator: " nor ")), "
                    + "nor is one in its \(folders)",
                hint: "name the file; Amplify writes it with: npx ampx generate outputs, "
                    + "or amplify pull")
        }
        return Path.normalise(found)
    }

    /// Keeps what came with the configuration as `auth login` would.
    func keepSecrets(_ secrets: JSONObject, of workspace: Workspace) throws(ShellError) {
        guard !secrets.isEmpty else { return }
        try secretStore(of: workspace).keep(secrets)
    }
}

/// What an Amplify project gives to begin with.
struct AmplifyStart {
    var text: [UInt8]
    /// The text as the project has it.
    let original: [UInt8]
    /// The schema's name in messages.
    let name: String
    var config = JSONObject()
    var secrets = JSONObject()

    init(text: [UInt8], name: String) {
        self.text = text
        original = text
        self.name = name
    }
}
