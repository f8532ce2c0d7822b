internal import JSON
internal import Records
internal import Sync

extension ConformanceBench {
    struct Page {
        var items: [RemoteRecord] = []
        var cursor: JSONValue?
        var more = false
    }

    /// The pages from a cursor on, one after the other.
    struct Pulled {
        var items: [RemoteRecord] = []
        /// The pages' ends.
        var cursors: [JSONValue?] = []

        /// The last state of each record.
        var states: [String: RemoteRecord] {
            Dictionary(items.map { ($0.id.text, $0) }) { $1 }
        }
        /// The ids of the records that are there.
        var ids: Set<String> { Set(states.values.filter { !$0.isDeleted }.map(\.id.text)) }
    }

    /// One page, its form checked.
    func page(
        of model: String? = nil, from cursor: JSONValue? = nil, limit: Int = 1000,
        extra: JSONObject = JSONObject(), on connection: PluginConnection? = nil
    ) throws(Shortfall) -> Page {
        let params = JSONObject([
            ("model", .string(model ?? self.model)), ("cursor", cursor ?? .null),
            ("limit", .int(Int64(limit))), ("filter", .null),
        ])
        let connection = if let connection { connection } else { try self.connection() }
        return try page(try ask(connection, .pull, params.overlaid(with: extra)), after: cursor)
    }

    func page(_ answer: JSONValue, after cursor: JSONValue?) throws(Shortfall) -> Page {
        guard let items = answer["records"]?.elements else {
            throw .failed("pull is answered without a list of records")
        }
        var page = Page()
        for item in items { page.items.append(try record(item)) }
        page.cursor = answer["cursor"]?.unlessNull
        if let cursor = page.cursor, !RemoteItem.isOpaque(cursor) {
            throw .failed("the cursor is longer than \(RemoteItem.opaqueLimit) bytes")
        }
        switch answer["more"] {
        case nil, .null: break
        case .bool(let more): page.more = more
        default: throw .failed("\"more\" is neither true nor false")
        }
        if page.more, page.cursor == nil || page.cursor == cursor {
            throw .failed("\"more\" is true and there is no new cursor to go on from")
        }
        return page
    }

    /// An item of `records`.
    func record(_ item: JSONValue) throws(Shortfall) -> RemoteRecord {
        switch RemoteItem(item, of: model, text: text) {
        case .record(let record): return record
        case .undecodable(let bad):
            let words = text.shown(item.serialized(), limit: 200)
            throw .failed("an item of records cannot be used, \(bad.reason): \(words)")
        }
    }

    /// All pages up to the first that says there is no more.
    func pull(
        from cursor: JSONValue? = nil, limit: Int = 1000, on connection: PluginConnection? = nil,
        between: () throws(Shortfall) -> Void = {}
    ) throws(Shortfall) -> Pulled {
        var pulled = Pulled()
        var next = cursor
        while true {
            let page = try page(from: next, limit: limit, on: connection)
            pulled.items += page.items
            pulled.cursors.append(page.cursor)
            if !page.more { return pulled }
            guard pulled.cursors.count < 5_000 else {
                throw .failed("paging does not end: 5000 pages, and still there is more")
            }
            next = page.cursor
            try between()
        }
    }

    func ask(
        _ connection: PluginConnection, _ method: PluginMethod, _ params: JSONObject
    ) throws(Shortfall) -> JSONValue {
        try minding { () throws(PluginError) in try connection.call(method, params) }
    }

    /// Some ids of a set, for a message.
    func names(_ ids: some Collection<String>) -> String {
        let shown = ids.sorted().prefix(3).map { text.shown($0, limit: 60) }
        let rest = ids.count > shown.count ? " and \(ids.count - shown.count) more" : ""
        return shown.joined(separator: ", ") + rest
    }
}
