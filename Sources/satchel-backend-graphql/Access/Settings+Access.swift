package import JSON
package import Platform
package import PluginKit

extension Settings {
    /// Every kind of access that is used, the usual one first.
    package var modes: [Access.Mode] {
        [mode] + Access.Mode.allCases.filter { $0 != mode && modelModes.values.contains($0) }
    }

    /// The secrets of a kind of access, with what a person is asked.
    package func secrets(of mode: Access.Mode) -> [(key: String, label: String)] {
        let key = tokenKey(mode)
        return mode.secrets.map { secret in
            guard secret.key == "token", key != "token" else { return secret }
            return (key, "\(secret.label), for \(mode.rawValue)")
        }
    }

    /// The key of a kind's token among the secrets: the first kind that has one has it as `token`.
    package func tokenKey(_ mode: Access.Mode) -> String {
        let first = modes.first { kind in kind.secrets.contains { $0.key == "token" } }
        return first == mode ? "token" : "\(mode.rawValue)_token"
    }

    /// The kinds that `model_auth` gives to models, where they differ from the usual one.
    static func modelModes(
        _ config: JSONObject, usual: Access.Mode, isMapped: Bool
    ) throws(PluginError) -> [String: Access.Mode] {
        guard let value = config["model_auth"], !value.isNull else { return [:] }
        guard let members = value.members, !isMapped else {
            throw .setting(
                "model_auth",
                isMapped
                    ? "with a mapping all models have one kind of authorization"
                    : "it has a kind for each model, as {\"Draft\": \"user_pools\"}")
        }
        let kinds: [Access.Mode] = [.apiKey, .userPools, .oidc, .lambda, .iam]
        var modes: [String: Access.Mode] = [:]
        for (model, word) in members.pairs {
            guard let mode = kinds.first(where: { $0.rawValue == word.text }) else {
                let words = kinds.map(\.rawValue).joined(separator: ", ")
                throw .setting("model_auth.\(model)", "it is one of \(words)")
            }
            if mode != usual { modes[model] = mode }
        }
        return modes
    }
}

extension Settings {
    /// How to prove who sends the requests, of each kind that is used.
    ///
    /// - Throws: Kind `.auth` where something for that is missing.
    package func access(
        secrets: JSONObject, environment: Environment, file: (String) -> String?
    ) throws(PluginError) -> AccessBook {
        var others: [Access.Mode: Access] = [:]
        for mode in modes.dropFirst() {
            others[mode] = try access(mode, secrets, environment, file)
        }
        return AccessBook(try access(mode, secrets, environment, file), others: others)
    }

    private func access(
        _ mode: Access.Mode, _ secrets: JSONObject, _ environment: Environment,
        _ file: (String) -> String?
    ) throws(PluginError) -> Access {
        func secret(_ key: String) throws(PluginError) -> String {
            // A header ends at a line end: what follows would be another.
            guard let text = secrets[key]?.text?[...].trimmedText, !text.isEmpty else {
                throw PluginError(.auth, "there is no \(key)", hint: "satchel auth login")
            }
            guard text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
                throw PluginError(
                    .auth, "the \(key) has characters that none has", hint: "satchel auth login")
            }
            return text
        }
        switch mode {
        case .apiKey: return .apiKey(try secret("api_key"))
        case .userPools, .oidc, .lambda: return .token(try secret(tokenKey(mode)))
        case .none: return .headers(headers)
        case .bearer:
            let token = try secret(tokenKey(mode))
            return .headers([HTTPHeader("Authorization", "Bearer \(token)")] + headers)
        case .header:
            return .headers([HTTPHeader(authHeader, try secret("credential"))] + headers)
        case .iam:
            guard let region else {
                throw .setting("region", "a signature needs the region of the API")
            }
            var credentials: AWSCredentials?
            if secrets["access_key"]?.text != nil {
                credentials = AWSCredentials(
                    accessKey: try secret("access_key"), secretKey: try secret("secret_key"),
                    sessionToken: secrets["session_token"]?.text == nil
                        ? nil : try secret("session_token"))
            } else {
                credentials = AWSCredentials.found(
                    in: environment, profile: profile, file: file)
            }
            guard let credentials else {
                throw PluginError(
                    .auth,
                    "there are no AWS credentials: neither AWS_ACCESS_KEY_ID and "
                        + "AWS_SECRET_ACCESS_KEY nor the profile \(profile ?? "default")",
                    hint: "aws configure, or config.credentials=keys and satchel auth login")
            }
            return .signature(SignatureV4(credentials: credentials, region: region))
        }
    }
}
