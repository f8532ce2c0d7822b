internal import JSON
internal import Platform

/// The secrets of one context, kept where only this user can read them.
///
/// A file of mode 0600 below `$XDG_STATE_HOME/satchel/secrets`; values are in the desktop's keyring
/// instead where `secret-tool` reaches one, and the file then only names their keys.
///
/// Secrets are for the backend and the settings they were given for: with others of either they are
/// not handed out. Which of the settings says where a secret goes only the plugin knows, so all count.
struct SecretStore: Sendable {
    private let path: String
    private let workspace: String
    private let context: String
    private let backend: String
    private let settings: JSONObject
    private let keyring: Keyring?

    /// - Parameters:
    ///   - environment: Says where the file is, and whether there is a keyring.
    ///   - workspace: The folder's real path.
    ///   - context: The context's name.
    ///   - backend: The backend it has now.
    ///   - settings: The backend's settings as they are now, those that may be read by anybody.
    init(
        _ environment: Environment, workspace: String, context: String, backend: String = "",
        settings: JSONObject = JSONObject()
    ) {
        self.workspace = workspace
        self.context = context
        self.backend = backend
        self.settings = settings
        let folder = Path.join(environment.stateHome, "satchel/secrets")
        // One name a context, whatever characters the path has.
        let name = ContentHash.fast(Array("\(workspace)\u{0}\(context)".utf8))
        path = Path.join(folder, "\(name).json")
        keyring = Keyring(environment, workspace: workspace, context: context)
    }

    /// Every secret by its key; none where nobody logged in, or did so for something else.
    func secrets() throws(ShellError) -> JSONObject {
        let content = try content()
        guard difference(from: content) == nil else { return JSONObject() }
        var secrets = content.values
        for key in content.keyring {
            guard let value = try keyring?.value(of: key) else { continue }
            secrets[key] = .string(value)
        }
        return secrets
    }

    /// What is another backend or setting now than when the secrets were given, in words; nil where
    /// nothing is, or there are no secrets.
    func misfit() throws(ShellError) -> (words: String, keys: [String])? {
        let content = try content()
        guard let words = difference(from: content) else { return nil }
        return (words, content.keys)
    }

    /// The keys there is a secret for, without asking the keyring.
    func keys() throws(ShellError) -> [String] {
        let content = try content()
        return content.keys
    }

    /// When they were last written, in nanoseconds since 1970; nil where there are none.
    var modified: Int64? {
        do throws(SystemError) { return try Files.status(path).modified } catch { return nil }
    }

    /// Names the login that they are of, and tells nothing of them; nil where there was none.
    var login: String? {
        do throws(ShellError) { return try content().login } catch { return nil }
    }

    /// Where a secret is kept, for people; nil where there is none.
    func place(of key: String) throws(ShellError) -> String? {
        let content = try content()
        if content.keyring.contains(key) { return "keyring" }
        if content.values[key] == "" { return "exchanged" }
        return content.values[key] == nil ? nil : "file"
    }

    /// Keeps these secrets; of one that is empty only that it was given.
    ///
    /// Those of other keys stay, unless they are for something else, or these are to be `alone`, as
    /// those of a login are.
    func keep(_ secrets: JSONObject, alone: Bool = false) throws(ShellError) {
        try change { (content) throws(ShellError) in
            if alone || difference(from: content) != nil {
                for key in content.keyring { try keyring?.forget(key) }
                content = Content()
            }
            for (key, value) in secrets.pairs {
                let isEmpty = value.text?.isEmpty == true
                if isEmpty, content.keyring.contains(key) { try keyring?.forget(key) }
                content.forget(key)
                if !isEmpty, let text = value.text, try keyring?.keep(key, text) ?? false {
                    content.keyring.append(key)
                } else {
                    content.values[key] = value
                }
            }
            content.backend = backend
            content.settings = settings
            if alone { content.login = String(RandomBytes.word(), radix: 16) }
            for key in content.keys { content.settings[key] = nil }
        }
    }

    /// Forgets every secret.
    ///
    /// - Returns: How many there were.
    func clear() throws(ShellError) -> Int {
        let content = try content()
        for key in content.keyring { try keyring?.forget(key) }
        try Workspace.system { () throws(SystemError) in try Files.remove(path) }
        return content.values.count + content.keyring.count
    }

    /// Keeps a secret that a plugin renewed; a store that cannot be written must not stop a sync.
    ///
    /// - Returns: Why it could not be kept, which the next login will want to know; nil when it is.
    func refresh(_ key: String, _ value: String) -> String? {
        do throws(ShellError) {
            // Somebody else may have logged in elsewhere while this plugin was at work.
            if let (words, _) = try misfit() {
                return "the renewed \(key) is not kept: \(words)"
            }
            try keep(JSONObject([(key, .string(value))]))
            return nil
        } catch {
            return "the renewed \(key) could not be kept: \(error.message)"
        }
    }
}

extension SecretStore {
    private struct Content {
        var values = JSONObject()
        var keyring: [String] = []
        /// What they were given for; nil in a file that does not say.
        var backend: String?
        var settings = JSONObject()
        /// Another one for each login.
        var login: String?

        var keys: [String] { values.keys + keyring }

        mutating func forget(_ key: String) {
            values[key] = nil
            keyring.removeAll { $0.sameBytes(as: key) }
        }
    }

    private func content() throws(ShellError) -> Content {
        let bytes: [UInt8]
        do throws(SystemError) {
            let status = try Files.status(path)
            guard status.owner == Machine.userID, status.mode & 0o077 == 0 else {
                throw SystemError(
                    code: 1, message: "\(path) is not used: others can read it; chmod 600 it")
            }
            bytes = try Files.read(path, limit: 16 << 20)
        } catch {
            if error.kind == .notFound { return Content() }
            throw ShellError(error)
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(bytes) } catch {
            throw ShellError(error, in: path)
        }
        var content = Content()
        content.values = value["secrets"]?.members ?? JSONObject()
        content.keyring = (value["keyring"]?.elements ?? []).compactMap(\.text)
        content.backend = value["backend"]?.text
        content.settings = value["settings"]?.members ?? JSONObject()
        content.login = value["login"]?.text
        return content
    }

    private func difference(from content: Content) -> String? {
        if content.keys.isEmpty { return nil }
        guard let before = content.backend else {
            return "they were kept without a word of what they are for"
        }
        if !before.sameBytes(as: backend) {
            return "the backend was \(before) and is \(backend)"
        }
        // A setting that is a secret by now is none that says where it goes.
        let changed = (content.settings.keys + settings.keys).filter { key in
            content.settings[key] != settings[key] && !content.keys.contains(key)
        }
        guard let first = changed.first else { return nil }
        let names = changed.dropFirst().reduce(into: [first]) { names, key in
            if !names.contains(key) { names.append(key) }
        }
        return "\(names.joined(separator: ", ")) changed since"
    }

    private func change(
        _ body: (inout Content) throws(ShellError) -> Void
    ) throws(ShellError) {
        let lock = try Workspace.system { () throws(SystemError) in
            try Files.makeDirectory(Path.parent(path), mode: 0o700)
            return try FileLock.acquire("\(path).lock", within: 5_000)
        }
        var content = try content()
        try body(&content)
        let json = JSONObject([
            ("workspace", .string(workspace)), ("context", .string(context)),
            ("secrets", .object(content.values)),
            ("keyring", .array(content.keyring.map(JSONValue.string))),
            ("backend", content.backend.map(JSONValue.string) ?? .null),
            ("settings", .object(content.settings)),
            ("login", content.login.map(JSONValue.string) ?? .null),
        ])
        try Workspace.system { () throws(SystemError) in
            try Files.replace(
                path, with: Array((JSONValue.object(json).prettyPrinted() + "\n").utf8),
                mode: 0o600)
        }
        _ = consume lock
    }
}
