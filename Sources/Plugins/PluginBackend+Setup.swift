package import JSON
package import Sync

extension PluginBackend {
    /// The models as the backend has them.
    package enum SchemaAnswer: Sendable, Equatable {
        /// A text in the language of `schema.graphql`.
        case sdl(String)
        /// `models`, `enums` and `types` as the protocol writes them.
        case models(JSONObject)
    }

    /// A question of `configure`, to be put to the user.
    package struct Question: Sendable, Equatable {
        package var key: String
        package var label: String
        package var isSecret: Bool
        /// Empty when any answer will do.
        package var choices: [String]
        package var defaultAnswer: String?
        package var help: String?
    }

    package enum ConfigureAnswer: Sendable, Equatable {
        case ask(Question)
        case done(config: JSONObject)
    }

    package func schema() throws(BackendError) -> SchemaAnswer {
        let answer = try ask(.schema, JSONObject())
        if let sdl = answer["sdl"]?.text { return .sdl(sdl) }
        guard case .object(let members) = answer, members["models"]?.elements != nil else {
            throw malformed(.schema, "there is neither sdl nor models")
        }
        return .models(members)
    }

    /// Tells the answers given so far and gets the next question; works before `initialize`.
    package func configure(answers: JSONObject) throws(BackendError) -> ConfigureAnswer {
        for (key, value) in answers.pairs where secretKeys.contains(key) {
            if let value = value.text { setting.masker.add(value) }
        }
        let answer: JSONValue
        do throws(PluginError) {
            let connection = try running()
            defer { passSecrets(of: connection) }
            answer = try connection.call(.configure, JSONObject([("answers", .object(answers))]))
        } catch {
            throw error.asBackendError
        }
        if answer["done"]?.boolean == true {
            return .done(config: answer["config"]?.members ?? answers)
        }
        guard let key = answer["key"]?.text else {
            throw malformed(.configure, "there is neither a question nor \"done\"")
        }
        let isSecret = answer["secret"]?.boolean ?? false
        if isSecret { secretKeys.insert(key) }
        return .ask(
            Question(
                key: key, label: text.shown(answer["label"]?.text ?? key, limit: 500),
                isSecret: isSecret,
                choices: answer["choices"]?.elements?.compactMap(\.text) ?? [],
                defaultAnswer: answer["default"]?.text,
                help: answer["help"]?.text.map { text.shown($0) }))
    }
}
