internal import JSON
internal import Platform

// What the plugin says, and what it is for.

extension PluginConnection {
    func take(_ item: PluginInbox.Item, during method: PluginMethod?) {
        switch item {
        case .message(let message): take(message)
        case .violation(let error): if failure == nil { fail(error) }
        case .ended(let status):
            guard failure == nil else { return }
            let attempt = method.map { " before it answered \($0.rawValue)" } ?? ""
            fail(
                PluginError(
                    .died, "plugin \(setting.name) ended (\(status))\(attempt)", hint: lastWords))
        }
    }

    private func take(_ message: PluginMessage) {
        inbox.took(message)
        switch message {
        case .result(let id, let value, let items):
            settle(id, .success(PluginAnswer(value: value, items: items)))
        case .failure(let id, let error):
            let refusal = refusal(error)
            var message = refusal.message
            if refusal.kind == .tooLarge {
                message = "plugin \(setting.name) calls the request too large: \(message)"
            }
            let hint = error["data"]?["hint"]?.text.map {
                ForeignText(masker: setting.masker).shown($0)
            }
            settle(id, .failure(PluginError(.refused(refusal), message, hint: hint)))
        case .event, .gap: events.append(message)
        case .progress(let id, _, _):
            if let id = id.integer, pending.contains(id) {
                progress[id] = setting.clock.monotonic()
            }
        case .secret(let key, let value, let expiresAt):
            secrets.removeAll { $0.key == key }
            secrets.append((key, value, expiresAt))
        case .log, .unknown: break
        }
    }

    private func settle(_ id: JSONValue, _ answer: Result<PluginAnswer, PluginError>) {
        guard let number = id.integer, (1...max(lastID, 1)).contains(number), lastID > 0 else {
            let words = ForeignText(masker: setting.masker).shown(id.serialized(), limit: 100)
            return fail(
                PluginError(
                    .violation(.unknownID),
                    "plugin \(setting.name) broke the protocol: it answered request \(words), "
                        + "which was never asked"))
        }
        if pending.remove(number) != nil {
            answers[number] = answer
        } else {
            inbox.report(.host, "answered request \(number) again or too late; ignored")
        }
    }

    private func refusal(_ error: JSONObject) -> Refusal {
        let text = ForeignText(masker: setting.masker)
        let data = error["data"]?.members
        let words = error["message"]?.text ?? "no reason given"
        var kind = data?["kind"]?.text.flatMap(Refusal.Kind.init(rawValue:))
        // JSON-RPC's own code for a method that is not there.
        if kind == nil, error["code"]?.integer == -32601 { kind = .unsupported }
        return Refusal(
            kind: kind ?? .permanent, message: text.shown(words),
            afterMilliseconds: (data?["after_ms"] ?? error["after_ms"])?.delay)
    }
}
