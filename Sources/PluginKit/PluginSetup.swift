package import JSON

/// What the host tells a plugin when it starts it.
package struct PluginSetup: Sendable {
    /// Names the program and the place that syncs; free text for logs.
    package var client: String
    /// The name of the context in `satchel.json`.
    package var context: String
    /// The context's `config`, without the secrets.
    package var config: JSONObject
    /// The secrets: never to be logged or put in a message.
    package var secrets: JSONObject
    /// `models`, `enums` and `types` as they came; `schema()` reads them.
    package var description: JSONObject
    /// The data set this store synced with before, where the host tells.
    package var knownIdentity: String?

    package init(
        client: String = "", context: String = "", config: JSONObject = JSONObject(),
        secrets: JSONObject = JSONObject(), description: JSONObject = JSONObject(),
        knownIdentity: String? = nil
    ) {
        self.client = client
        self.context = context
        self.config = config
        self.secrets = secrets
        self.description = description
        self.knownIdentity = knownIdentity
    }

    init(params: JSONObject) {
        let client = params["client"]
        self.init(
            client: client?.text ?? client?.serialized() ?? "",
            context: params["context"]?.text ?? "",
            config: params["config"]?.members ?? JSONObject(),
            secrets: params["secrets"]?.members ?? JSONObject(),
            description: JSONObject(
                ["models", "enums", "types"].compactMap { key in params[key].map { (key, $0) } }),
            knownIdentity: params["identity"]?.text)
    }
}

/// What a plugin answers to `initialize`.
package struct PluginWelcome: Sendable {
    package var capabilities: PluginCapabilities
    /// Names the remote data set; nil when the plugin cannot tell.
    package var identity: String?

    package init(capabilities: PluginCapabilities, identity: String?) {
        self.capabilities = capabilities
        self.identity = identity
    }
}
