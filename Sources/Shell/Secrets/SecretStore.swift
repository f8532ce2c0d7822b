internal import JSON
internal import Platform

/// The secrets of one context, kept where only this user can read them.
///
/// A file of mode 0600 below `$XDG_STATE_HOME/satchel/secrets`; values are in the desktop's keyring
/// instead where `secret-tool` reaches one, and the file then only names their keys.
struct SecretStore: Sendable {
    private let path: String
    private let workspace: String
    private let context: String
    private let keyring: Keyring?

    init(_ environment: Environment, workspace: String, context: String) {
        self.workspace = workspace
        self.context = context
        let folder = Path.join(environment.stateHome, "satchel/secrets")
        // One name a context, whatever characters the path has.
        let name = ContentHash.fast(Array("\(workspace)\u{0}\(context)".utf8))
        path = Path.join(folder, "\(name).json")
        keyring = Keyring(environment, workspace: workspace, context: context)
    }

    /// Every secret by its key; none where nobody logged in.
    func secrets() throws(ShellError) -> JSONObject {
        let content = try content()
        var secrets = content.values
        for key in content.keyring {
            guard let value = try keyring?.value(of: key) else { continue }
            secrets[key] = .string(value)
        }
        return secrets
    }

    /// The keys there is a secret for, without asking the keyring.
    func keys() throws(ShellError) -> [String] {
        let content = try content()
        return content.values.keys + content.keyring
    }

    /// When they were last written, in nanoseconds since 1970; nil where there are none.
    var modified: Int64? {
        do throws(SystemError) { return try Files.status(path).modified } catch { return nil }
    }

    /// Where a secret is kept, for people; nil where there is none.
    func place(of key: String) throws(ShellError) -> String? {
        let content = try content()
        if content.keyring.contains(key) { return "keyring" }
        return content.values[key] == nil ? nil : "file"
    }

    /// Keeps these secrets; those of other keys stay.
    func keep(_ secrets: JSONObject) throws(ShellError) {
        try change { (content) throws(ShellError) in
            for (key, value) in secrets.pairs {
                content.forget(key)
                if let text = value.text, try keyring?.keep(key, text) ?? false {
                    content.keyring.append(key)
                } else {
                    content.values[key] = value
                }
            }
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
        return content
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
        ])
        try Workspace.system { () throws(SystemError) in
            try Files.replace(
                path, with: Array((JSONValue.object(json).prettyPrinted() + "\n").utf8),
                mode: 0o600)
        }
        _ = consume lock
    }
}
