internal import JSON
internal import Platform
internal import Plugins

extension Session {
    func secretStore(of workspace: Workspace) -> SecretStore {
        SecretStore(
            environment, workspace: workspace.identity, context: workspace.context.name,
            backend: workspace.context.backend ?? "",
            settings: Credentials(written: workspace.context).places)
    }

    /// The settings of the context's backend, apart: what anybody may read, and the secrets.
    ///
    /// `secret_command` beats what `auth login` kept, which beats what stands in `satchel.json`.
    ///
    /// - Throws: Kind `.needsLogin` where secrets are kept for another backend or other settings.
    func credentials(of workspace: Workspace) throws(ShellError) -> Credentials {
        var credentials = Credentials(written: workspace.context)
        let store = secretStore(of: workspace)
        credentials.add(try store.secrets())
        credentials.add(try commandSecrets(workspace))
        let known = credentials.secrets
        if let (words, keys) = try store.misfit(), keys.contains(where: { known[$0] == nil }) {
            throw ShellError(
                .needsLogin,
                "the secrets of the context \(workspace.context.name) are not for this: \(words)",
                hint: "they are sent nowhere; give those that are: satchel auth login")
        }
        return credentials
    }

    /// What the context's `secret_command` prints, as `KEY=VALUE` lines.
    func commandSecrets(_ workspace: Workspace) throws(ShellError) -> JSONObject {
        guard let command = workspace.context.secretCommand else { return JSONObject() }
        try requireTrust(workspace)
        for path in WorkspaceCommand.files(in: command, root: workspace.root) {
            _ = try Trust(environment).inspecting(path, in: workspace.root)
        }
        var program = CapturedProgram(shell: command, environment: environment)
        program.directory = workspace.root
        // An agent that it started, such as gpg's, is there for later runs too.
        program.sparesDaemons = true
        let run = try written { () throws(SystemError) in
            try program.run(within: 60_000, interrupt: interrupt)
        }
        guard run.code == 0 else {
            let said = String(decoding: run.errors, as: UTF8.self)
            throw ShellError(
                .needsLogin, "secret_command ended with exit code \(run.code)",
                hint: said.isEmpty ? "run it by hand: \(command)" : said)
        }
        guard let text = String(validating: run.output, as: UTF8.self) else {
            throw ShellError(.input, "secret_command printed what is no UTF-8 text")
        }
        var secrets = JSONObject()
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let cut = line.utf8.firstIndex(of: UInt8(ascii: "=")), cut != line.startIndex
            else {
                // The line itself may be a secret: it is not shown.
                throw ShellError(.input, "secret_command printed a line that is no KEY=VALUE")
            }
            secrets[String(line[..<cut])] = .string(
                String(line[line.utf8.index(after: cut)...]))
        }
        return secrets
    }
}

/// The settings of a backend: what anybody may read, and the secrets.
struct Credentials: Sendable, Equatable {
    var config = JSONObject()
    var secrets = JSONObject()

    /// The settings that may say where the secrets go: mere numbers and yes or no do not, but for
    /// ports.
    var places: JSONObject {
        JSONObject(
            config.pairs.filter { key, value in
                if key.lowercased().contains("port") { return true }
                let text = value.text ?? value.serialized()
                return !(Self.answers.contains(text) || Double(text) != nil)
            }.map { ($0.key, $0.value) })
    }

    /// Ways to say yes or no.
    private static let answers: Set<String> = [
        "true", "false", "null", "on", "off", "yes", "no",
    ]

    /// What stands in `satchel.json`.
    init(written context: ContextConfig) {
        for (key, value) in context.config.pairs {
            if context.isSecret(key) { secrets[key] = value } else { config[key] = value }
        }
    }

    /// Takes secrets over what is there of the same keys.
    mutating func add(_ more: JSONObject) {
        for (key, value) in more.pairs {
            secrets[key] = value
            config[key] = nil
        }
    }
}

extension ContextConfig {
    /// True for a key of `config` that `secrets` lists.
    func isSecret(_ key: String) -> Bool { secrets.contains { $0.sameBytes(as: key) } }
}

extension Workspace {
    /// One name for the folder, whatever links lead to it.
    var identity: String {
        do throws(SystemError) { return try Files.realPath(root) } catch { return root }
    }
}
