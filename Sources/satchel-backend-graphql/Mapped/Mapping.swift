package import JSON
package import PluginKit
package import Records

/// `mapping` of a context's configuration: how an API of any shape is spoken to.
package struct Mapping: Sendable {
    /// APIs whose mapping follows from what they tell of their types.
    package enum Shape: String, Sendable, CaseIterable {
        case postgraphile, hasura

        /// The shape that an API has, by the names of its types; nil for another.
        package static func seen(in api: Introspection) -> Shape? {
            if api.types.contains(where: { $0.name.hasSuffix("_bool_exp") }) { return .hasura }
            let names = Set(api.queries.map(\.name))
            return names.isSuperset(of: ["query", "nodeId", "node"]) ? .postgraphile : nil
        }
    }

    package let shape: Shape?
    /// What holds for every model, where its own entry does not say otherwise.
    private let common: JSONObject
    private let models: JSONObject
    /// Where subscriptions go; nil for the API's own address.
    package let liveURL: Endpoint?
    package let transport: Transport

    /// How subscriptions travel.
    package enum Transport: String, Sendable, CaseIterable { case sse, websocket, off }

    /// Reads the value of `mapping`; nil when there is none.
    ///
    /// - Throws: Kind `.permanent`, naming the key.
    package init?(_ config: JSONObject) throws(PluginError) {
        guard let json = config["mapping"], !json.isNull else { return nil }
        let words = json.text.map { JSONObject([("like", .string($0))]) } ?? json.members
        guard let words else {
            throw .setting("mapping", "it is \(Self.names), or an object")
        }
        try Self.check(words: words)
        let values = SettingValues(words, at: "mapping")
        if let word = try values.text("like") {
            guard let shape = Shape(rawValue: word) else {
                throw .setting("mapping", "there is no mapping \(word) made ready: \(Self.names)")
            }
            self.shape = shape
        } else {
            shape = nil
        }
        models = words["models"]?.members ?? JSONObject()
        var common = models["*"]?.members ?? JSONObject()
        for key in Self.ofAll {
            if let value = words[key], common[key] == nil { common[key] = value }
        }
        self.common = common
        liveURL = try Self.address(values)
        transport = try values.choice("live", shape == .hasura ? Transport.websocket : .sse)
    }

    private static func address(_ values: SettingValues) throws(PluginError) -> Endpoint? {
        guard var text = try values.text("live_url") else { return nil }
        if text.hasPrefix("ws") { text = "http" + text.dropFirst(2) }
        do throws(Endpoint.Bad) { return try Endpoint(text) } catch {
            throw .setting("mapping.live_url", error.message)
        }
    }

    /// True when what an API tells of its types is needed.
    package var needsIntrospection: Bool { shape != nil }

    /// The models that have an entry of their own.
    package var named: [String] { models.keys.filter { $0 != "*" } }

    /// How a model is spoken of: its own entry, then what is common, then what the shape tells.
    package func model(
        _ model: Model, _ api: Introspection?
    ) throws(PluginError) -> ModelMapping {
        let own = common.overlaid(with: models[model.name]?.members ?? JSONObject())
        var words = JSONObject()
        switch (shape, api) {
        case (.hasura?, let api?): words = HasuraShape(api).mapping(of: model, own)
        case (.postgraphile?, let api?): words = PostGraphileShape(api).mapping(of: model, own)
        default: break
        }
        var outcomes = words["outcomes"]?.members ?? JSONObject()
        for more in [common["outcomes"], own["outcomes"]] {
            outcomes = outcomes.overlaid(with: more?.members ?? JSONObject())
        }
        words = words.overlaid(with: own)
        words["outcomes"] = .object(outcomes)
        let mapping = try ModelMapping(
            SettingValues(words, at: "mapping.models.\(model.name)"), type: model.name)
        try mapping.check(against: model)
        return mapping
    }

    private static var names: String {
        Shape.allCases.map(\.rawValue).joined(separator: " or ")
    }
}
