internal import JSON
internal import Plugins
internal import Sync

/// What is known of one plugin.
struct PluginDescription: Reported {
    let name: String
    let path: String
    /// The context that uses it; nil where the one in use does not.
    var context: String?
    /// What it said of itself; nil where it was not started or did not say.
    var welcome: PluginBackend.Welcome?
    var problem: String?
    /// Settings that it asks for.
    var wants: [String] = []

    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    static let keys = [
        "name", "path", "context", "version", "identity", "capabilities", "problem", "wants",
    ]

    var values: [JSONValue] {
        [
            .string(name), .string(path), context.map(JSONValue.string) ?? .null,
            welcome.map { .string($0.version) } ?? .null,
            welcome?.identity.map(JSONValue.string) ?? .null,
            welcome.map { $0.capabilities.json } ?? .null,
            problem.map(JSONValue.string) ?? .null, .array(wants.map(JSONValue.string)),
        ]
    }

    func text(_ style: Style) -> String {
        var card = TextCard(style)
        card.line("name", name)
        card.line("path", path)
        if let context { card.line("used by", "the context \(context)") }
        if let welcome {
            if !welcome.version.isEmpty { card.line("version", welcome.version) }
            card.line("can", welcome.capabilities.words.joined(separator: ", "))
            if let identity = welcome.identity { card.line("data set", identity) }
        }
        if let problem { card.line("problem", problem) }
        for want in wants { card.line("wants", want) }
        return card.text
    }
}

extension Capabilities {
    fileprivate var json: JSONValue {
        var push = JSONValue.null
        if pushes {
            push = [
                "idempotency": .string(idempotency.rawValue), "batch": .int(Int64(batch)),
                "bytes": .int(Int64(batchBytes)), "atomic": .bool(isAtomic),
                "assigns_ids": .bool(assignsIDs),
            ]
        }
        return [
            "push": push,
            "pull": [
                "delta": .bool(hasDelta), "tombstones": .bool(hasTombstones),
                "snapshot": .bool(hasSnapshot), "page": .int(Int64(page)),
                "filter": .array(filterOperators.map(JSONValue.string)),
            ],
            "events": .bool(hasEvents), "ping": .bool(answersPing),
        ]
    }

    fileprivate var words: [String] {
        var words = ["pull"]
        if hasDelta { words.append("pull what changed") }
        if hasTombstones { words.append("tell deletions") }
        if pushes { words.append("push \(batch) at a time") }
        if isAtomic { words.append("push groups whole") }
        if !filterOperators.isEmpty { words.append("filter") }
        if hasEvents { words.append("send events") }
        if answersPing { words.append("ping") }
        return words
    }
}
