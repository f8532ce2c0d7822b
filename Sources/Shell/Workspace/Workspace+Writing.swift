package import JSON
internal import Platform

extension Workspace {
    /// Makes a workspace in a folder.
    ///
    /// - Parameters:
    ///   - folder: Made if it is missing; what else is in it stays.
    ///   - schema: The text of `schema.graphql`; nil keeps the file that is there.
    ///   - backend: The backend of the context `default`; nil for a workspace without one.
    ///   - config: The backend's settings.
    ///   - fill: Called before the folder becomes a workspace: where it fails, it does not.
    /// - Returns: The new workspace.
    /// - Throws: Kind `.exists` when the folder is a workspace already.
    package static func create(
        in folder: String, schema: [UInt8]?, backend: String?, config: JSONObject,
        fill: (Workspace) throws(ShellError) -> Void = { _ in }
    ) throws(ShellError) -> Workspace {
        let root = try freeFolder(folder)
        let path = Path.join(root, fileName)
        var text = localTemplate
        if let backend {
            text = try edited(
                template, fileName, ["contexts", "default", "backend"], .string(backend))
            text = try edited(text, fileName, ["contexts", "default", "config"], .object(config))
        }
        let workspace = try Workspace(
            root: root, config: WorkspaceConfig(reading: Array(text.utf8), file: nil),
            context: nil)
        try system { () throws(SystemError) in
            try Files.makeDirectory(root, mode: 0o755)
            if let schema {
                try Files.replace(workspace.schemaPath, with: schema, mode: 0o644)
            }
        }
        try workspace.makeState()
        try fill(workspace)
        // Last, since it is what makes the folder a workspace.
        try system { () throws(SystemError) in
            try Files.replace(path, with: Array(text.utf8), mode: 0o644)
        }
        return workspace
    }

    /// The absolute path of a folder that is no workspace.
    ///
    /// - Throws: Kind `.exists` for one that is.
    package static func freeFolder(_ folder: String) throws(ShellError) -> String {
        let root = try system { () throws(SystemError) in
            Path.normalise(Path.join(try Files.currentDirectory(), folder))
        }
        guard !Files.exists(Path.join(root, fileName)) else {
            throw ShellError(
                .exists, "\(folder) is a workspace already",
                hint: "add a backend to it: satchel context add NAME --backend NAME")
        }
        return root
    }

    /// Adds a context.
    ///
    /// - Parameters:
    ///   - name: Not yet in use.
    ///   - backend: The backend's name.
    ///   - settings: The backend's settings.
    /// - Returns: The workspace as it is now.
    /// - Throws: Kind `.exists`, or `.usage` for a name that is none.
    package func addingContext(
        _ name: String, backend: String, settings: JSONObject
    ) throws(ShellError) -> Workspace {
        guard ContextConfig.isValidName(name) else {
            throw .usage(
                "\"\(name)\" is no name for a context",
                hint: "letters, digits, _ and - make one")
        }
        guard config.context(name) == nil else {
            throw ShellError(.exists, "there is a context \"\(name)\" already")
        }
        return try rewriting { (text, file) throws(ShellError) in
            let value = JSONObject([("backend", .string(backend)), ("config", .object(settings))])
            return try Self.edited(text, file, ["contexts", name], .object(value))
        }
    }

    /// Removes a context from `satchel.json`; its store stays for the caller to remove.
    package func removingContext(_ name: String) throws(ShellError) -> Workspace {
        try known(name)
        return try rewriting { (text, file) throws(ShellError) in
            try Self.document(text, file).removing(["contexts", name])
        }
    }

    /// Makes `name` the context of commands that do not say which.
    package func usingContext(_ name: String) throws(ShellError) -> Workspace {
        try known(name)
        try makeState()
        try Self.system { () throws(SystemError) in
            try Files.replace(chosenContextPath, with: Array("\(name)\n".utf8))
        }
        return try Workspace(root: root, config: config, context: name)
    }

    /// Throws for a context that `satchel.json` does not have.
    func requireContext(_ name: String) throws(ShellError) { try known(name) }

    private func known(_ name: String) throws(ShellError) {
        guard config.context(name) == nil else { return }
        throw .usage(
            "there is no context \"\(name)\"",
            hint: Suggestion.hint(for: name, among: config.contexts.map(\.name)))
    }
}

extension Workspace {
    /// Changes the text of `satchel.json`, whose comments stay, and reads it anew before it is kept.
    ///
    /// - Throws: Kind `.usage` where it would not be as it must be: nothing was written.
    func rewriting(
        _ edit: (_ text: String, _ file: String) throws(ShellError) -> String
    ) throws(ShellError) -> Workspace {
        try makeState()
        let lock = try Self.system { () throws(SystemError) in
            try FileLock.acquire(lockPath, within: 10_000)
        }
        let (bytes, mode) = try Self.system { () throws(SystemError) in
            (try Files.read(configPath), try Files.status(configPath).mode)
        }
        // Its own mistakes, such as somebody makes meanwhile, are not those of what was typed.
        _ = try WorkspaceConfig(reading: bytes, file: Self.fileName)
        let text = try edit(String(decoding: bytes, as: UTF8.self), Self.fileName)
        let config = try WorkspaceConfig(reading: Array(text.utf8), file: nil)
        let isStillThere = config.context(context.name) != nil
        let changed = try Workspace(
            root: root, config: config, context: isStillThere ? context.name : nil)
        try Self.system { () throws(SystemError) in
            try Files.replace(configPath, with: Array(text.utf8), mode: mode)
        }
        _ = consume lock
        return changed
    }

    static func document(_ text: String, _ file: String) throws(ShellError) -> JSON5Document {
        do throws(JSONError) {
            return try JSON5Document(text)
        } catch {
            throw ShellError(error, in: file)
        }
    }

    static func edited(
        _ text: String, _ file: String, _ path: [String], _ value: JSONValue
    ) throws(ShellError) -> String {
        let document = try document(text, file)
        do throws(JSONError) {
            return try document.setting(path, to: value)
        } catch {
            throw .usage("\(path.joined(separator: ".")): \(error.message)")
        }
    }

    /// The text without a member, and without the objects that are left empty by that.
    static func edited(
        _ text: String, _ file: String, without path: [String]
    ) throws(ShellError) -> String {
        if path.first == "contexts", path.count < 3 {
            throw .usage(
                "a context holds changes that were not delivered, maybe: null does not remove it",
                hint: "satchel context remove \(path.count == 2 ? path[1] : "NAME")")
        }
        var text = text
        var path = path
        while !path.isEmpty {
            let document = try document(text, file)
            let holder = path.dropLast().reduce(document.value as JSONValue?) { $0?[$1] }
            guard holder?.members?[path[path.count - 1]] != nil else { break }
            text = document.removing(path)
            path.removeLast()
            // Of a context everything but its backend may be empty.
            guard path.first != "contexts", holder?.members?.count == 1 else { break }
        }
        return text
    }

    private static let template = """
        // What this workspace is; meant to be committed. Comments stay when Satchel changes it.
        {
          // The models. "satchel schema check schema.graphql" finds mistakes in it.
          schema: "schema.graphql",
          contexts: {
            default: {
              backend: "folder",
              config: {},
              // auto: the prompt syncs in the background. manual: only "sync" does.
              sync: "auto",
            },
          },
        }

        """

    private static let localTemplate = """
        // What this workspace is; meant to be committed. Comments stay when Satchel changes it.
        {
          // The models. "satchel schema check schema.graphql" finds mistakes in it.
          schema: "schema.graphql",
          // Where changes are delivered to. While there is none they stay here, queued:
          //   satchel context add default --backend folder --set path=DIR
          contexts: {},
        }

        """
}
