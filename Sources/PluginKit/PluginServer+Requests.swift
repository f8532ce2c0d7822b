internal import JSON
internal import Records

extension PluginServer {
    enum Answer {
        case value(JSONValue)
        /// A page, and the members that follow `records` in the result.
        case records(PluginPage, JSONObject)
        case failure(PluginError)
    }

    /// Has the handler do what `method` asks.
    func answer(_ id: JSONValue, _ method: String, _ params: JSONObject) -> Answer {
        let call = PluginCall(id: id, host: host, inbox: inbox)
        do throws(PluginError) {
            switch method {
            case "initialize": return try initialize(params)
            case "shutdown": return .value([:])
            case "configure":
                let answers = params["answers"]?.members ?? JSONObject()
                return .value(try handler.configure(answers: answers, call).json)
            default:
                guard isInitialized else {
                    throw PluginError(.permanent, "\(method) came before initialize")
                }
                return try work(method, params, call)
            }
        } catch {
            return .failure(error)
        }
    }

    private func work(
        _ method: String, _ params: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> Answer {
        switch method {
        case "ping":
            try handler.ping(call)
            return .value([:])
        case "pull": return try pull(PluginQuery(params: params), call)
        case "fetch": return try fetch(params, call)
        case "push": return try push(params, call)
        case "subscribe":
            let models = params["models"]?.elements?.compactMap(\.text)
            try handler.subscribe(models: models, filters: params.present("filters"), call)
            return .value([:])
        case "schema":
            switch try handler.schema(call) {
            case .sdl(let text): return .value(["sdl": .string(text)])
            case .models(let description): return .value(.object(description))
            }
        default:
            throw PluginError(.unsupported, "\(handler.name) knows no method \(method)")
        }
    }

    private func initialize(_ params: JSONObject) throws(PluginError) -> Answer {
        let protocols = params["protocols"]?.elements ?? [1]
        guard protocols.contains(1) else {
            throw PluginError(.unsupported, "\(handler.name) speaks protocol 1 only")
        }
        let welcome = try handler.initialize(PluginSetup(params: params), host: host)
        isInitialized = true
        return .value([
            "protocol": 1,
            "plugin": ["name": .string(handler.name), "version": .string(handler.version)],
            "capabilities": welcome.capabilities.json,
            "identity": welcome.identity.map { .string($0) } ?? .null,
        ])
    }

    private func pull(
        _ query: PluginQuery, _ call: PluginCall
    ) throws(PluginError) -> Answer {
        let page = PluginPage()
        let end = try handler.pull(query, onto: page, call)
        var members = JSONObject([("cursor", end.cursor), ("more", .bool(end.more))])
        if let epoch = end.epoch { members.append("epoch", epoch) }
        members.append("complete", .bool(end.isComplete))
        return .records(page, members)
    }

    private func fetch(_ params: JSONObject, _ call: PluginCall) throws(PluginError) -> Answer {
        let page = PluginPage()
        let ids = (params["ids"]?.elements ?? []).compactMap(\.text).map { RecordID($0) }
        try handler.fetch(model: try params.requiredText("model"), ids: ids, onto: page, call)
        return .records(page, JSONObject())
    }

    private func push(_ params: JSONObject, _ call: PluginCall) throws(PluginError) -> Answer {
        var operations: [PluginOperation] = []
        for operation in params["ops"]?.elements ?? [] {
            operations.append(try PluginOperation(json: operation))
        }
        let verdicts = try handler.push(operations, call)
        var results: [JSONValue] = []
        var bytes = 0
        for (operation, verdict) in zip(operations, verdicts) {
            guard let result = verdict?.json(key: operation.key) else { continue }
            guard result.depth <= PluginPage.deepestRecord else { continue }
            bytes += result.bytes().count + 1
            // What does not fit counts as not told: the host looks at those records one by one.
            if bytes > Self.longestLine { break }
            results.append(result)
        }
        return .value(["results": .array(results)])
    }
}
