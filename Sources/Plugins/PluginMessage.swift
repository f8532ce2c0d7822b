internal import JSON

/// A line of protocol 1 that a plugin wrote.
enum PluginMessage: Sendable, Equatable {
    /// The items of `records` where they were taken apart; the value has none then.
    case result(id: JSONValue, JSONValue, RemoteItems?)
    case failure(id: JSONValue, JSONObject)
    case event(JSONObject)
    case gap
    case progress(id: JSONValue, done: Int64?, total: Int64?)
    case log(level: String, message: String)
    case secret(key: String, value: String, expiresAt: JSONValue?)
    /// A notification or a request this host does not know: ignored.
    case unknown(method: String)
}

extension PluginMessage {
    /// Reads a line without its LF.
    ///
    /// The error carries kind `.violation` and only the words for what is wrong.
    ///
    /// With a text, which masks what is kept of bad items, `records` and `results` are taken apart;
    /// without one a bad item makes the whole line wrong.
    static func read(
        _ line: UnsafeRawBufferPointer, apart text: ForeignText? = nil
    ) throws(PluginError) -> PluginMessage {
        let maxDepth = 512
        let value: JSONValue
        var items: RemoteItems?
        do throws(JSONError) {
            if let text {
                (value, items) = try RemoteItems.read(line, maxDepth: maxDepth, text: text)
            } else {
                value = try JSONValue.parse(line, maxDepth: maxDepth)
            }
        } catch {
            // That something changed can be told all the same.
            if text != nil,
                JSONValue.members(["method"], ofUnreadable: line)[0]?.text == "event"
            {
                return .gap
            }
            throw PluginError(.violation(violation(error.kind)), error.message)
        }
        guard case .object(let members) = value else {
            throw PluginError(.violation(.notObject), "the line holds no JSON object")
        }
        if let method = members["method"]?.text {
            return notification(method, members["params"]?.members ?? JSONObject())
        }
        let id = members["id"] ?? .null
        // A null beside the other one is how older libraries say that it is not there.
        let error = members["error"]?.unlessNull
        if error != nil, members["result"]?.unlessNull != nil {
            throw PluginError(.violation(.bothAnswers), "the message has both result and error")
        }
        if case .object(let error)? = error { return .failure(id: id, error) }
        if error == nil, let result = members["result"] { return .result(id: id, result, items) }
        throw PluginError(
            .violation(.noResult), "the message has neither method nor result nor error")
    }

    private static func violation(_ kind: JSONError.Kind) -> PluginError.Violation {
        switch kind {
        case .invalidUTF8: .invalidUTF8
        case .tooDeep: .tooDeep
        case .tooLarge: .lineTooLong
        case .notAnObject: .notObject
        case .syntax, .duplicateKey: .notJSON
        }
    }

    private static func notification(_ method: String, _ params: JSONObject) -> PluginMessage {
        switch method {
        case "event": .event(params)
        case "gap": .gap
        case "progress":
            .progress(
                id: params["id"] ?? .null, done: params["done"]?.integer,
                total: params["total"]?.integer)
        case "log":
            .log(
                level: params["level"]?.text ?? "info",
                message: params["message"]?.text ?? params["message"]?.serialized() ?? "")
        case "secret":
            if let key = params["key"]?.text, let value = params["value"]?.text {
                .secret(key: key, value: value, expiresAt: params["expires_at"])
            } else {
                .unknown(method: method)
            }
        default: .unknown(method: method)
        }
    }
}

extension PluginMessage {
    /// A request as a line, LF included.
    static func request(_ id: Int64, _ method: String, _ params: JSONObject) -> [UInt8] {
        var line = Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\"".utf8)
        line += Array(",\"params\":".utf8)
        params.write(into: &line)
        line += Array("}\n".utf8)
        return line
    }

    /// The notification that a request need not be answered in full.
    static func cancel(_ id: Int64) -> [UInt8] {
        Array("{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":\(id)}}\n".utf8)
    }
}
