package import JSON

/// A request for one page of a model's records.
package struct PluginQuery: Sendable, Equatable {
    package var model: String
    /// As the plugin gave it with an earlier page; nil asks from the start.
    package var cursor: JSONValue?
    /// Records the page may hold, at least 1.
    package var limit: Int
    /// Only records that match, as the protocol writes it; nil for all.
    package var filter: JSONValue?

    package init(
        model: String, cursor: JSONValue? = nil, limit: Int = 1000, filter: JSONValue? = nil
    ) {
        self.model = model
        self.cursor = cursor
        self.limit = limit
        self.filter = filter
    }

    init(params: JSONObject) throws(PluginError) {
        let limit = params["limit"]?.integer ?? 1000
        self.init(
            model: try params.requiredText("model"), cursor: params.present("cursor"),
            limit: Int(clamping: max(1, limit)), filter: params.present("filter"))
    }
}

/// What ends a page.
package struct PluginPageEnd: Sendable, Equatable {
    /// Where the next pull continues, at most 4 KiB of JSON.
    package var cursor: JSONValue
    /// True when another page follows at once.
    package var more: Bool
    /// Changes when the history of the data set starts anew.
    package var epoch: JSONValue?
    /// False when the backend cut its answer short.
    package var isComplete: Bool

    package init(
        cursor: JSONValue, more: Bool, epoch: JSONValue? = nil, isComplete: Bool = true
    ) {
        self.cursor = cursor
        self.more = more
        self.epoch = epoch
        self.isComplete = isComplete
    }
}

extension JSONObject {
    /// The member, unless it is missing or null.
    func present(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    func requiredText(_ key: String) throws(PluginError) -> String {
        guard let text = self[key]?.text else {
            throw PluginError(.permanent, "the request has no \(key)")
        }
        return text
    }
}
