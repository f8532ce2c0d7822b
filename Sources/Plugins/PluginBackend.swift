package import JSON
internal import Platform
package import Records
package import Sync

/// A backend that is a plugin: started when first asked, restarted once when it dies.
package final class PluginBackend: Backend {
    /// What `initialize` tells the plugin.
    package struct Context: Sendable {
        /// The name of the context in `satchel.json`.
        package var name: String
        /// Names this program and this store, for the backend's logs.
        package var client: String
        package var config: JSONObject
        package var secrets: JSONObject
        package var schema: Schema
        /// Of the models of which not all records are wanted.
        package var filters: [String: Filter]
        /// The data set the store synced with so far; nil before the first sync.
        package var knownIdentity: String?

        package init(
            name: String, client: String, config: JSONObject = JSONObject(),
            secrets: JSONObject = JSONObject(), schema: Schema = Schema(),
            filters: [String: Filter] = [:], knownIdentity: String? = nil
        ) {
            self.name = name
            self.client = client
            self.config = config
            self.secrets = secrets
            self.schema = schema
            self.filters = filters
            self.knownIdentity = knownIdentity
        }
    }

    /// What the plugin answered to `initialize`.
    package struct Welcome: Sendable, Equatable {
        package var name: String
        package var version: String
        package var capabilities: Capabilities
        package var identity: String?
    }

    package let setting: PluginConnection.Setting
    package let context: Context
    let text: ForeignText
    /// Called with each secret the plugin refreshed, on the thread that asks.
    package var onSecret: (_ key: String, _ value: String, _ expiresAt: JSONValue?) -> Void = {
        _, _, _ in
    }

    private var connection: PluginConnection?
    /// True once the running plugin has answered `initialize`.
    private var isInitialized = false
    /// Keys `configure` asked for as secrets.
    var secretKeys: Set<String> = []
    private(set) var welcome: Welcome?
    private var restarts = RestartPolicy()
    /// The page asked for ahead of time.
    var ahead: (request: PullRequest, id: Int64)?
    /// What the plugin was asked to send events of; asked again after a restart.
    var subscribed: [String]?
    /// Events were lost in a restart.
    var missedEvents = false

    package init(_ setting: PluginConnection.Setting, context: Context) {
        self.setting = setting
        self.context = context
        text = ForeignText(masker: setting.masker)
        for (_, value) in context.secrets.pairs {
            if let value = value.text { setting.masker.add(value) }
        }
    }

    package var title: String { "plugin \(setting.name)" }

    package func capabilities() throws(BackendError) -> Capabilities {
        try greeted().capabilities
    }

    package func identity() throws(BackendError) -> String? { try greeted().identity }

    package func ping() throws(BackendError) {
        // A plugin that cannot ask its backend has at least to be there and initialized.
        guard try capabilities().answersPing else { return }
        _ = try ask(.ping, JSONObject())
    }

    /// Name, version, capabilities and identity; starts the plugin if need be.
    package func greeted() throws(BackendError) -> Welcome {
        do throws(PluginError) { return try connected().welcome } catch {
            throw error.asBackendError
        }
    }

    /// Stops the plugin; when it returns nothing of it is left.
    package func close() {
        connection?.close()
        connection = nil
    }

    /// Stops the plugin behind the caller's back; `Teardown.wait` waits for that.
    package func abandon() {
        connection?.abandon()
        connection = nil
    }

    /// Readable when the plugin has said something by itself; nil while it does not run.
    package var eventDescriptor: Int32? { connection?.descriptor }

    deinit { connection?.abandon() }
}

extension PluginBackend {
    /// The running plugin, started and initialized if it is not.
    func connected() throws(PluginError) -> (connection: PluginConnection, welcome: Welcome) {
        if let connection, connection.failure == nil, isInitialized, let welcome {
            return (connection, welcome)
        }
        let started = try running()
        let welcome = try initialize(started)
        self.welcome = welcome
        isInitialized = true
        if let subscribed {
            _ = try started.call(.subscribe, subscription(subscribed, welcome.capabilities))
            missedEvents = true
        }
        return (started, welcome)
    }

    /// Asks the running plugin one question; `meanwhile` is called before the answer is waited for.
    func ask(
        _ method: PluginMethod, _ params: JSONObject, meanwhile: () -> Void = {}
    ) throws(BackendError) -> JSONValue {
        try askForItems(method, params, meanwhile: meanwhile).value
    }

    /// As `ask`; the records of the answer come by themselves.
    func askForItems(
        _ method: PluginMethod, _ params: JSONObject, meanwhile: () -> Void = {}
    ) throws(BackendError) -> PluginAnswer {
        do throws(PluginError) {
            let connection = try connected().connection
            defer { passSecrets(of: connection) }
            let id = try connection.send(method, params)
            meanwhile()
            return try connection.items(to: id, of: method)
        } catch {
            throw error.asBackendError
        }
    }

    /// The plugin's program, started but perhaps not initialized.
    func running() throws(PluginError) -> PluginConnection {
        if let connection, connection.failure == nil { return connection }
        let now = setting.clock.monotonic()
        if let failure = connection?.failure {
            connection = nil
            ahead = nil
            if failure.kind != .interrupted { restarts.died(at: now) }
            if let wait = restarts.delay(at: now) {
                throw PluginError(
                    failure.kind, failure.message,
                    hint: "it is not started again for \((wait + 999) / 1000) s")
            }
        } else if let wait = restarts.delay(at: now) {
            throw PluginError(
                .died, "plugin \(setting.name) keeps ending",
                hint: "it is not started again for \((wait + 999) / 1000) s")
        }
        let started = try PluginConnection(setting, takesApart: true)
        connection = started
        isInitialized = false
        restarts.started(at: now)
        return started
    }

    private func initialize(_ connection: PluginConnection) throws(PluginError) -> Welcome {
        var params = JSONObject([
            ("protocols", [1]), ("client", .string(context.client)),
            ("context", .string(context.name)), ("config", .object(context.config)),
            ("secrets", .object(context.secrets)),
        ])
        for (key, value) in SchemaDescription.members(of: context.schema).pairs {
            params.append(key, value)
        }
        if let known = context.knownIdentity { params.append("identity", .string(known)) }
        let answer = try connection.call(.initialize, params)
        passSecrets(of: connection)
        guard case .object(let result) = answer else {
            throw PluginError(
                .malformed, "plugin \(setting.name) answered initialize with no object")
        }
        guard result["protocol"] == 1 else {
            let spoken = result["protocol"].map { text.shown($0.serialized(), limit: 40) }
            let error = PluginError(
                .violation(.wrongProtocol),
                "plugin \(setting.name) speaks protocol \(spoken ?? "(none named)"), Satchel speaks 1"
            )
            connection.abandon()
            throw error
        }
        let identity = try identity(result["identity"]?.unlessNull)
        if let before = welcome, before.identity != identity {
            connection.abandon()
            throw PluginError(
                .malformed,
                "plugin \(setting.name) names another data set after a restart than before")
        }
        let plugin = result["plugin"]?.members
        return Welcome(
            name: text.shown(plugin?["name"]?.text ?? setting.name, limit: 100),
            version: text.shown(plugin?["version"]?.text ?? "", limit: 100),
            capabilities: Capabilities(protocol: result["capabilities"]?.members ?? JSONObject()),
            identity: identity)
    }

    /// The name of the data set, which the store keeps; nil where the plugin gives none.
    private func identity(_ named: JSONValue?) throws(PluginError) -> String? {
        guard let named else { return nil }
        guard RemoteItem.isOpaque(named) else {
            connection?.abandon()
            throw PluginError(
                .malformed,
                "plugin \(setting.name) answered initialize wrongly: the identity is longer than "
                    + "\(RemoteItem.opaqueLimit) bytes")
        }
        return text.masker.mask(named.text ?? named.serialized())
    }

    /// Gives up the answer to a request that is under way.
    func forget(_ id: Int64) { connection?.forget(id) }

    func passSecrets(of connection: PluginConnection) {
        for secret in connection.takeSecrets() {
            onSecret(secret.key, secret.value, secret.expiresAt)
        }
    }

    /// An answer that is an answer but not of the shape the protocol gives it.
    func malformed(_ method: PluginMethod, _ words: String) -> BackendError {
        BackendError(
            .broken, "plugin \(setting.name) answered \(method.rawValue) wrongly: \(words)")
    }
}
