internal import JSON
internal import Platform
internal import Records
internal import Sync

/// The plugin under test: its processes, what it said of itself, what was written to it.
final class ConformanceBench {
    let transcript: Transcript
    let text: ForeignText
    private(set) var setting: PluginConnection.Setting
    private var config: JSONObject
    private var secrets = JSONObject()
    private(set) var capabilities = Capabilities()
    private(set) var identity: String?
    private(set) var schema = SampleModel.offered
    /// Models that the plugin is to have records of, where it tells none itself.
    private let expected: Schema
    /// True where the schema is the plugin's own, or the expected one.
    private(set) var knowsSchema = false
    /// The model that is read.
    private(set) var model = ""
    /// How to write records of it; nil when the kit knows no way.
    private(set) var sample: SampleModel?
    /// The process most checks talk to.
    private var main: PluginConnection?
    /// Another one on the same data.
    private var second: PluginConnection?
    /// Ids of the records made here.
    var made: [String] = []
    /// What is to be said of a check that passes.
    var remarks: [String] = []

    private let onSilence: (String) -> Void
    private let askSecret: (String, String) throws(PluginError) -> String?

    init(
        _ setting: PluginConnection.Setting, config: JSONObject, expected: Schema,
        onSilence: @escaping (String) -> Void,
        askSecret: @escaping (String, String) throws(PluginError) -> String?
    ) {
        self.expected = expected
        self.onSilence = onSilence
        self.askSecret = askSecret
        let transcript = Transcript(masker: setting.masker)
        self.transcript = transcript
        self.setting = setting
        self.config = config
        text = ForeignText(masker: setting.masker)
        self.setting.wire = { transcript.take($0) }
    }

    /// Starts the plugin, finds a model to work with, and where records may be written some records.
    func begin(writing: Bool) throws(PluginError) {
        try sortSecrets()
        var connection = try connect()
        if let told = try toldSchema(connection), !told.models.isEmpty {
            schema = told
            knowsSchema = true
            connection.close()
            connection = try connect()
        } else if !expected.models.isEmpty, !writing || !capabilities.pushes {
            // What is only read is read as it is.
            schema = expected
            knowsSchema = true
            connection.close()
            connection = try connect()
        } else if connection.failure != nil {
            connection = try connect()
        }
        main = connection
        sample = SampleModel(of: schema, writable: writing && capabilities.pushes)
        model = sample?.model.name ?? schema.models[0].name
        do throws(Shortfall) {
            if writing, capabilities.pushes, sample != nil {
                _ = try make(5)
            } else {
                // A model with records shows more than one without.
                for candidate in schema.models.prefix(20).map(\.name) {
                    if try page(of: candidate, limit: 2).items.count < 2 { continue }
                    model = candidate
                    break
                }
            }
        } catch {
            // The check that is about this says so.
            if case .plugin(let error) = error, error.kind == .interrupted { throw error }
        }
    }

    func close() {
        main?.close()
        second?.close()
        (main, second) = (nil, nil)
        setting.teardown.wait()
    }

    /// A process that has been welcomed, started anew when the last one is of no more use.
    func connection() throws(Shortfall) -> PluginConnection {
        if let main, main.failure == nil { return main }
        return try minding { () throws(PluginError) in
            let fresh = try connect()
            main = fresh
            return fresh
        }
    }

    /// Another process on the same data, as another device would be.
    func other() throws(Shortfall) -> PluginConnection {
        if let second, second.failure == nil { return second }
        return try minding { () throws(PluginError) in
            let fresh = try connect()
            second = fresh
            return fresh
        }
    }

    func restart() throws(Shortfall) -> PluginConnection {
        main?.close()
        main = nil
        return try connection()
    }

    /// A process of its own for a check that changes how it is waited for.
    func connect(_ interrupt: Interrupt? = nil) throws(PluginError) -> PluginConnection {
        var setting = setting
        if let interrupt { setting.interrupt = interrupt }
        let connection = try PluginConnection(setting)
        connection.onSilence = onSilence
        let answer = try connection.call(.initialize, greeting)
        guard answer["protocol"] == 1, let members = answer.members else {
            connection.abandon()
            throw PluginError(
                .violation(.wrongProtocol),
                "plugin \(setting.name) answered initialize without \"protocol\":1")
        }
        capabilities = Capabilities(protocol: members["capabilities"]?.members ?? JSONObject())
        identity = members["identity"]?.text
        return connection
    }

    private var greeting: JSONObject {
        var params = JSONObject([
            ("protocols", [1]), ("client", "satchel plugin test"), ("context", "test"),
            ("config", .object(config)), ("secrets", .object(secrets)),
        ])
        for (key, value) in SchemaDescription.members(of: schema).pairs {
            params.append(key, value)
        }
        return params
    }

    func minding<T>(_ body: () throws(PluginError) -> T) throws(Shortfall) -> T {
        do throws(PluginError) { return try body() } catch { throw .plugin(error) }
    }
}

extension ConformanceBench {
    /// Moves the settings that the plugin asks for as secrets to where secrets travel, and asks for
    /// those that are not there.
    private func sortSecrets() throws(PluginError) {
        // The first question to a program that has just been started, as initialize is otherwise.
        var setting = setting
        setting.deadlines.other = setting.deadlines.initialize
        let connection = try PluginConnection(setting)
        connection.onSilence = onSilence
        defer { connection.close() }
        var answers = JSONObject()
        for _ in 0..<32 {
            let question: JSONValue
            do throws(PluginError) {
                question = try connection.call(
                    .configure, JSONObject([("answers", .object(answers))]))
            } catch {
                // What says nothing to this says nothing to what comes next.
                if error.kind == .interrupted || error.kind == .deadline { throw error }
                return
            }
            guard question["done"] != true, let key = question["key"]?.text else { return }
            if answers[key] != nil { return }
            if question["secret"] == true, secrets[key] == nil {
                let label = text.shown(question["label"]?.text ?? key, limit: 500)
                var given = config[key]
                if given == nil, let answer = try askSecret(key, label) { given = .string(answer) }
                if let text = given?.text { self.setting.masker.add(text) }
                secrets[key] = given
                config[key] = nil
            }
            let value = secrets[key] ?? config[key] ?? question["default"] ?? .null
            if value.isNull { return }
            answers[key] = value
        }
    }

    /// The plugin's own models; nil when it has none to tell.
    private func toldSchema(_ connection: PluginConnection) throws(PluginError) -> Schema? {
        let answer: JSONValue
        do throws(PluginError) {
            answer = try connection.call(.schema, JSONObject())
        } catch {
            // A check of its own is about requests a plugin does not know.
            if error.kind == .interrupted { throw error }
            return nil
        }
        do throws(RecordsError) {
            if let sdl = answer["sdl"]?.text { return try Schema.parse(sdl) }
            return try Schema(protocolJSON: answer)
        } catch {
            throw PluginError(
                .malformed,
                "plugin \(setting.name) answered schema wrongly: \(text.shown(error.message))",
                hint: "one that has no models of its own refuses schema with the kind unsupported")
        }
    }
}
