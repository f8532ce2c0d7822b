package import JSON
package import PluginKit

/// The questions of `configure`: where the API is, and who asks.
package enum Questions {
    /// The first that is not answered yet.
    package static func next(_ answers: JSONObject) throws(PluginError) -> PluginQuestion {
        try Settings.check(answers)
        try Mapping.check(answers)
        guard let url = answers["url"]?.text, !url.isEmpty else {
            return .ask(
                key: "url", label: "Address of the GraphQL API",
                help: "as https://….appsync-api.REGION.amazonaws.com/graphql")
        }
        let isMapped = answers["mapping"].map { !$0.isNull } ?? false
        guard let word = answers["auth"]?.text ?? (isMapped ? Access.Mode.none.rawValue : nil)
        else {
            return .ask(
                key: "auth", label: "How requests are authorized",
                choices: Access.Mode.allCases.map(\.rawValue),
                defaultAnswer: Access.Mode.apiKey.rawValue)
        }
        let settings = try Settings(answers)
        guard Access.Mode(rawValue: word) != nil else {
            throw .setting("auth", "there is no \(word)")
        }
        var asking = settings.modes
        if asking.contains(.iam) {
            if settings.region == nil {
                return .ask(key: "region", label: "Region of the API", help: "as eu-west-1")
            }
            guard let source = answers["credentials"]?.text else {
                return .ask(
                    key: "credentials", label: "Where the AWS credentials are",
                    choices: ["environment", "keys"], defaultAnswer: "environment",
                    help: "environment: AWS_* variables and the files of the AWS command line; "
                        + "keys: kept by Satchel")
            }
            if source != "keys" { asking.removeAll { $0 == .iam } }
        }
        let secrets = asking.flatMap { mode in
            guard mode == settings.renewedMode else { return settings.secrets(of: mode) }
            if mode == .userPools, let user = settings.user {
                // It is changed for a refresh token, and kept no longer.
                return [(key: "password", label: "Password of \(user)")]
            }
            // With that a token is had whenever one is needed.
            let or = mode == .userPools ? ", or a token of the user (JWT) while it lasts" : ""
            return [(key: "refresh_token", label: "Refresh token\(or)")]
        }
        for secret in secrets where answers[secret.key] == nil {
            return .ask(key: secret.key, label: secret.label, isSecret: true)
        }
        var config = answers
        for secret in secrets + settings.modes.flatMap(settings.secrets) {
            config[secret.key] = nil
        }
        return .done(config: config)
    }
}
