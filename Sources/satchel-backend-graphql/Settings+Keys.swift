package import JSON
package import PluginKit
internal import Records

extension Settings {
    /// The keys that `config` may have, and those that mean something for AppSync alone.
    private static let common: Set<String> = [
        "url", "auth", "region", "credentials", "profile", "concurrency", "page", "timeout",
        "response_mb", "full_after_hours", "overlap_ms", "live", "client_id", "user_pool",
        "token_url", "user", "ca_file", "allow_http", "mapping", "auth_header", "headers",
    ]
    private static let ofAppSync: Set<String> = [
        "model_auth", "conflict_detection", "names", "version_field", "tombstone_days",
        "realtime_url", "realtime_auth", "owner_claim",
    ]
    /// What may stand there as well, in plain text.
    private static let secrets: Set<String> = [
        "api_key", "token", "refresh_token", "client_secret", "password", "access_key",
        "secret_key", "session_token", "credential",
    ]

    /// Refuses what means nothing: a setting that is misspelt would otherwise be taken for one that was
    /// made.
    ///
    /// - Throws: Kind `.permanent`, naming the key, and the one that may be meant.
    package static func check(_ config: JSONObject) throws(PluginError) {
        let isMapped = config["mapping"].map { !$0.isNull } ?? false
        let fitting = isMapped ? common : common.union(ofAppSync)
        for key in config.keys where !fitting.contains(key) && !isSecret(key) {
            if ofAppSync.contains(key) {
                throw .stray(key, "with a mapping it means nothing; the mapping says all of that")
            }
            throw .unknown(key, among: fitting)
        }
        try checkNames(config["names"])
        let values = SettingValues(config)
        for key in config.keys where isSecret(key) { _ = try values.text(key) }
        let mode = config["auth"]?.text ?? (isMapped ? "none" : "api_key")
        for key in ["headers", "auth_header"] where config[key]?.isNull == false {
            guard !["none", "bearer", "header"].contains(mode) else { continue }
            throw .stray(key, "with auth=\(mode) it means nothing")
        }
        if let word = config["live"]?.text, Mapping.Transport(rawValue: word) != nil, word != "off"
        {
            throw PluginError(
                .permanent,
                "config.live: it is on or off; by what changes come stands inside of mapping"
                    + (isMapped ? "" : ", and there is none: AppSync has a way of its own"),
                hint: isMapped
                    ? "mapping: { like: \"hasura\", live: \"\(word)\" }" : "leave it out")
        }
    }

    private static func isSecret(_ key: String) -> Bool {
        secrets.contains(key) || Access.Mode.allCases.contains { key == "\($0.rawValue)_token" }
    }

    private static func checkNames(_ names: JSONValue?) throws(PluginError) {
        guard let names, !names.isNull else { return }
        guard let models = names.members else {
            throw .setting(
                "names", "it has operations by model, as {\"Post\": {\"list\": \"allPosts\"}}")
        }
        for (model, operations) in models.pairs {
            guard let members = operations.members else {
                throw .setting("names.\(model)", "it has names, as {\"list\": \"allPosts\"}")
            }
            for (key, value) in members.pairs {
                guard Surface.renamable.contains(key) else {
                    throw .unknown("names.\(model).\(key)", last: key, among: Surface.renamable)
                }
                guard value.text?.isGraphQLName == true else {
                    throw .setting("names.\(model).\(key)", "it is the name of an operation")
                }
            }
        }
    }
}

extension PluginError {
    /// A key of `config` that means nothing; `last` is the part of it that is misspelt.
    static func unknown(
        _ key: String, last: String? = nil, among known: some Collection<String>
    ) -> PluginError {
        let meant = didYouMean(last ?? key, among: known.sorted())
        return PluginError(
            .permanent, "config.\(key): there is no such setting",
            hint: meant.map { "did you mean \"\($0)\"?" }
                ?? "there is \(known.sorted().joined(separator: ", "))")
    }

    /// A key of `config` that means nothing beside the others.
    static func stray(_ key: String, _ message: String) -> PluginError {
        PluginError(
            .permanent, "config.\(key): \(message)", hint: "take it out of satchel.json")
    }
}
