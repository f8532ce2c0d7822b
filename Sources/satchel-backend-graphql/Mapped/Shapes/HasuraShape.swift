internal import JSON
internal import Records

/// The mapping of tables that Hasura serves.
///
/// https://hasura.io/docs/2.0/api-reference/graphql-api/
struct HasuraShape {
    private let api: Introspection

    init(_ api: Introspection) { self.api = api }

    /// Records of a live query: all of them would be sent again and again with every change.
    ///
    /// What changes beyond them is found when all is asked for.
    private static let liveLimit: Int64 = 1_000

    /// A model's mapping; what `own` says is followed.
    func mapping(of model: Model, _ own: JSONObject) -> JSONObject {
        let table = ShapedTable(model, own, api, named: model.name)
        guard let type = table.type,
            let list = api.queries.first(where: {
                $0.type.name == type.name && $0.type.isList && $0.argument("where") != nil
            }), let filter = list.argument("where")?.type.name
        else { return JSONObject() }
        let key = model.key.map(table.wire)
        let stamp = table.stamp(["updated_at", "updatedAt"])
        let deleted = own["deleted"]?.text ?? own["deleted"]?["field"]?.text
        var words = table.words
        words["version"] = stamp.map { .string($0) }
        let order = key.map { "{\($0): asc}" }.joined(separator: ", ")
        words["list"] = [
            "query": .string(
                "query ($limit: Int!, $where: \(filter)!) { \(list.name)(limit: $limit, "
                    + "where: $where, order_by: [\(order)]) { ${fields} } }"),
            "variables": ["limit": "$limit", "where": Self.beyond(key)],
            "items": .string(list.name),
        ]
        if let since = own["since"]?.text {
            words["delta"] = [
                "query": .string(
                    "query ($limit: Int!, $offset: Int!, $where: \(filter)!) { \(list.name)("
                        + "limit: $limit, offset: $offset, where: $where, order_by: "
                        + "[{\(since): asc}, \(order)]) { ${fields} } }"),
                "variables": [
                    "limit": "$limit", "offset": "$offset",
                    "where": [since: ["_gte": "$since"]],
                ],
                "items": .string(list.name),
            ]
        }
        words["get"] = table.get(key)
        words["create"] = create(type)
        words["update"] = update(type, key, stamp)
        words["delete"] = delete(type, key, stamp, deleted)
        if api.subscriptions.contains(where: { $0.name == list.name }) {
            // What changes comes to the front; where no column tells that, what is new.
            let latest = (stamp.map { [$0] } ?? key).map { "{\($0): desc}" }
                .joined(separator: ", ")
            let fields = stamp.map { "${key} \($0)" } ?? "${fields}"
            words["subscribe"] = [
                "query": .string(
                    "subscription { \(list.name)(limit: \(Self.liveLimit), order_by: [\(latest)]) "
                        + "{ \(fields) } }"),
                "result": .string(list.name), "tells": "snapshot",
                "window": .int(Self.liveLimit),
            ]
        }
        words["outcomes"] = ["~_pkey\"": "conflict"]
        return words
    }

    /// The records whose key comes after the last of a page: the first field tells, then the second.
    private static func beyond(_ key: [String]) -> JSONValue {
        func last(_ name: String) -> JSONValue {
            .string(key.count == 1 ? "$after" : "$after.\(name)")
        }
        let ways = key.indices.map { place in
            var members = JSONObject()
            for name in key[..<place] { members.append(name, ["_eq": last(name)]) }
            members.append(key[place], ["_gt": last(key[place])])
            return JSONValue.object(members)
        }
        return ways.count == 1 ? ways[0] : ["_or": .array(ways)]
    }

    private func create(_ type: Introspection.TypeDefinition) -> JSONValue? {
        let mutation = api.mutations.first {
            $0.type.name == type.name && $0.argument("object") != nil
        }
        guard let mutation, let input = mutation.argument("object")?.type.name else { return nil }
        return [
            "query": .string(
                "mutation ($object: \(input)!) { \(mutation.name)(object: $object) "
                    + "{ ${fields} } }"),
            "result": .string(mutation.name),
        ]
    }

    /// The mutation that takes a condition, and returns what it was done to.
    private func conditional(
        _ type: Introspection.TypeDefinition, sets: Bool
    ) -> Introspection.Member? {
        api.mutations.first { mutation in
            mutation.argument("where") != nil && (mutation.argument("_set") != nil) == sets
                && mutation.argument("objects") == nil
                && api.type(mutation.type.name)?.member("returning")?.type.name == type.name
        }
    }

    private static func condition(_ key: [String], _ stamp: String?) -> JSONValue {
        var members = JSONObject()
        for name in key { members.append(name, ["_eq": .string("$key.\(name)")]) }
        if let stamp { members.append(stamp, ["_eq": "$version"]) }
        return .object(members)
    }

    private func update(
        _ type: Introspection.TypeDefinition, _ key: [String], _ stamp: String?
    ) -> JSONValue? {
        guard let mutation = conditional(type, sets: true),
            let filter = mutation.argument("where")?.type.name,
            let set = mutation.argument("_set")?.type.name
        else { return nil }
        return [
            "query": .string(
                "mutation ($where: \(filter)!, $set: \(set)!) { \(mutation.name)(where: $where, "
                    + "_set: $set) { returning { ${fields} } } }"),
            "variables": ["where": Self.condition(key, stamp), "set": "$set"],
            "result": .string("\(mutation.name).returning.0"),
        ]
    }

    private func delete(
        _ type: Introspection.TypeDefinition, _ key: [String], _ stamp: String?,
        _ deleted: String?
    ) -> JSONValue? {
        if let deleted {
            // A row that only says that it is deleted.
            guard let update = update(type, key, stamp)?.members else { return nil }
            let isFlag = type.member(deleted)?.type.name == "Boolean"
            var step = update
            step["variables"] = [
                "where": Self.condition(key, stamp),
                "set": .object(JSONObject([(deleted, isFlag ? true : "now()")])),
            ]
            return .object(step)
        }
        guard let mutation = conditional(type, sets: false),
            let filter = mutation.argument("where")?.type.name
        else { return nil }
        return [
            "query": .string(
                "mutation ($where: \(filter)!) { \(mutation.name)(where: $where) "
                    + "{ returning { ${key} } } }"),
            "variables": ["where": Self.condition(key, stamp)],
            "result": .string("\(mutation.name).returning.0"),
        ]
    }
}
