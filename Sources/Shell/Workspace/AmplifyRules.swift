package import JSON
package import Records

/// What the `@auth` rules of an Amplify project say of each model: in which ways it is asked for, and
/// which fields name an owner.
package struct AmplifyRules: Sendable, Equatable {
    package struct Rule: Sendable, Equatable {
        /// `owner`, `groups`, `private`, `public` or `custom`.
        package var allow: String
        /// Who proves it, as the graphql backend's `auth` names it.
        package var mode: String
        /// The field that names an owner; nil where no rule of the kind writes one.
        package var ownerField: String?

        /// Nil for what is no rule.
        init?(_ word: (String) -> String?) {
            guard let allow = word("allow") else { return nil }
            let provider = word("provider") ?? Self.usualProviders[allow] ?? ""
            guard let mode = Self.modes[provider] else { return nil }
            self.allow = allow
            self.mode = mode
            ownerField = allow == "owner" ? word("ownerField") ?? "owner" : nil
        }

        private static let usualProviders = [
            "owner": "userPools", "groups": "userPools", "private": "userPools",
            "public": "apiKey", "custom": "function",
        ]
        private static let modes = [
            "apiKey": "api_key", "userPools": "user_pools", "oidc": "oidc", "iam": "iam",
            "identityPool": "iam", "function": "lambda",
        ]
        /// The order in which DataStore tries what there is.
        private static let allows = ["custom", "owner", "groups", "private", "public"]
        private static let ways = ["lambda", "user_pools", "oidc", "iam", "api_key"]

        /// Lower comes first.
        fileprivate var rank: Int {
            let allow = Self.allows.firstIndex(of: allow) ?? Self.allows.count
            return allow * 10 + (Self.ways.firstIndex(of: mode) ?? Self.ways.count)
        }
    }

    /// By model; one without rules is not there.
    package private(set) var models: [String: [Rule]] = [:]
    /// What holds for a model without rules; empty where that is not told.
    private var global: [Rule] = []

    /// Reads `model_introspection`.
    package init(introspection json: JSONValue) {
        for (name, model) in json["models"]?.members?.pairs ?? [] {
            for attribute in model["attributes"]?.elements ?? [] where attribute["type"] == "auth" {
                let rules = attribute["properties"]?["rules"]?.elements ?? []
                add(rules.compactMap { rule in Rule { rule[$0]?.text } }, to: name)
            }
        }
    }

    /// Reads a schema's text.
    package init(sdl text: [UInt8]) {
        let heads = SDLTypeHeads(text)
        for type in heads.heads {
            add(type.rules.compactMap { words in Rule { words[$0] } }, to: type.name)
        }
        global = [heads.globalRule].compactMap { words in Rule { words?[$0] } }
    }

    private mutating func add(_ rules: [Rule], to model: String) {
        if !rules.isEmpty { models[model, default: []] += rules }
    }

    /// The models that are not asked for in the usual way, with the way they are.
    ///
    /// A model whose rules allow the usual one keeps it. A join model is asked for as what it joins, another
    /// without rules as the global one has it.
    package func modes(usual: String, in schema: Schema) -> JSONObject {
        var modes = JSONObject()
        for model in schema.models {
            let rules = rules(of: model)
            guard !rules.contains(where: { $0.mode == usual }),
                let rule = rules.min(by: { $0.rank < $1.rank })
            else { continue }
            modes.append(model.name, .string(rule.mode))
        }
        return modes
    }

    private func rules(of model: Model) -> [Rule] {
        if let own = models[model.name] { return own }
        let joined = model.relations.filter { $0.kind == .belongsTo && isJoin(model) }
            .flatMap { models[$0.model] ?? [] }
        return joined.isEmpty ? global : joined
    }

    /// The way that is the usual one where no model is asked for in `usual`: that of most of them.
    ///
    /// Nil where a model is, or there is none.
    package func mode(insteadOf usual: String, in schema: Schema) -> String? {
        let modes = modes(usual: usual, in: schema).pairs.compactMap(\.value.text)
        guard !modes.isEmpty, modes.count == schema.models.count else { return nil }
        let counts = Dictionary(modes.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    private func isJoin(_ model: Model) -> Bool {
        let relations = model.relations.filter { $0.kind == .belongsTo }
        return relations.count == 2
            && model.fields.allSatisfy { field in
                field.isReadOnly || model.key.contains(field.name)
                    || relations.contains { $0.fields.contains(field.name) }
            }
    }

    /// The fields that name an owner and that the schema leaves to Amplify, by model.
    package func ownerFields(missingIn schema: Schema) -> [String: [String]] {
        var missing: [String: [String]] = [:]
        for model in schema.models {
            var names: [String] = []
            for name in (models[model.name] ?? global).compactMap(\.ownerField)
            where model.field(name) == nil && !names.contains(name) { names.append(name) }
            if !names.isEmpty { missing[model.name] = names }
        }
        return missing
    }
}

extension Schema {
    /// With fields that name an owner, which the API sets.
    func withOwners(_ fields: [String: [String]]) -> Schema {
        var schema = self
        for index in schema.models.indices {
            for name in fields[schema.models[index].name] ?? [] {
                schema.models[index].fields.append(Field(name, .scalar(.string), isReadOnly: true))
            }
        }
        return schema
    }
}
