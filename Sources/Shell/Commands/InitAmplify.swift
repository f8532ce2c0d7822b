internal import JSON
internal import Platform
internal import Records

extension Session {
    /// What an Amplify project's configuration says of its API and its models.
    func amplify(_ request: InitRequest, _ given: String) throws(ShellError) -> AmplifyStart {
        let file = try amplifyFile(given)
        let json: JSONValue
        let content = try bytes(of: InputSource(file))
        do throws(JSONError) { json = try JSONValue.parse(content) } catch {
            throw ShellError(error, in: file)
        }
        var settings = try Workspace.backendSettings(request.settings)
        let api = settings["api"]?.text
        settings["api"] = nil
        if let backend = request.backend, backend != "graphql" {
            throw .usage(
                "--amplify is for the graphql backend, not \(backend)", hint: "leave out --backend")
        }
        let project = try AmplifyProject(json, file: file, api: api)
        let folder = Path.parent(file)
        var schema: (text: [UInt8], name: String)?
        for place in project.schemaPlaces where schema == nil {
            let path = Path.normalise(Path.join(folder, place))
            guard Files.exists(path) else { continue }
            schema = (try bytes(of: InputSource(path)), path)
        }
        if schema == nil, let introspection = project.introspection {
            let models = try meaning { () throws(RecordsError) in
                try Schema(modelIntrospection: introspection)
            }
            schema = (Array(models.sdl.utf8), "the models of \(file)")
        }
        guard let schema else {
            throw ShellError(
                .schema,
                "\(file) does not tell the models, and there is no schema.graphql beside it",
                hint: "put the project's schema.graphql there; or: satchel init --backend graphql "
                    + "--set url=URL, then satchel auth login and satchel schema pull")
        }
        return AmplifyStart(
            text: schema.text, name: schema.name, config: project.config.overlaid(with: settings),
            secrets: project.secrets)
    }

    /// The file itself, or the one of a project's folder.
    private func amplifyFile(_ given: String) throws(ShellError) -> String {
        guard Files.isDirectory(given) else { return given }
        let places = AmplifyProject.fileNames.map { Path.join(given, $0) }
        guard let found = places.first(where: Files.exists) else {
            throw ShellError(
                .input,
                "\(given) has neither \(AmplifyProject.fileNames.joined(separator: " nor "))")
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
    /// The schema's name in messages.
    var name: String
    var config: JSONObject
    var secrets: JSONObject
}
