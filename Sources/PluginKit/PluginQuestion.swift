package import JSON

/// A step of `configure`: what the plugin asks next, or what it made of the answers.
package enum PluginQuestion: Sendable, Equatable {
    case ask(
        key: String, label: String, isSecret: Bool = false, choices: [String] = [],
        defaultAnswer: String? = nil, help: String? = nil)
    case done(config: JSONObject)

    package var json: JSONValue {
        switch self {
        case .ask(let key, let label, let isSecret, let choices, let defaultAnswer, let help):
            var object = JSONObject([
                ("key", .string(key)), ("label", .string(label)), ("secret", .bool(isSecret)),
            ])
            if !choices.isEmpty {
                object.append("choices", .array(choices.map { .string($0) }))
            }
            if let defaultAnswer { object.append("default", .string(defaultAnswer)) }
            if let help { object.append("help", .string(help)) }
            return .object(object)
        case .done(let config):
            return ["done": true, "config": .object(config)]
        }
    }
}
