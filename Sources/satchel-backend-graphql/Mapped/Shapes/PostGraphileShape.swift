internal import JSON
internal import Records

/// The mapping of tables that PostGraphile serves, with simplified names or without.
///
/// https://postgraphile.org/postgraphile/current/crud-mutations
struct PostGraphileShape {
    private let api: Introspection

    init(_ api: Introspection) { self.api = api }

    /// A model's mapping; what `own` says is followed.
    func mapping(of model: Model, _ own: JSONObject) -> JSONObject {
        let table = ShapedTable(model, own, api, named: model.name)
        guard let type = table.type,
            let list = api.queries.first(where: { query in
                query.argument("first") != nil
                    && api.type(query.type.name)?.member("nodes")?.type.name == type.name
                    && !query.arguments.contains { $0.type.isRequired }
            })
        else { return JSONObject() }
        let key = model.key.map(table.wire)
        var words = table.words
        // The API has no conditions: a record is looked at before it is written.
        words["version"] = table.stamp(["updatedAt", "updated_at"]).map { .string($0) }
        words["list"] = [
            "query": .string(
                "query ($first: Int!, $after: Cursor) { \(list.name)(first: $first, "
                    + "after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }"
            ),
            "items": .string("\(list.name).nodes"),
            "next": .string("\(list.name).pageInfo.endCursor"),
            "more": .string("\(list.name).pageInfo.hasNextPage"),
        ]
        words["get"] = table.get(key)
        words["create"] = create(type)
        words["update"] = change(type, key, "update")
        words["delete"] = change(type, key, "delete")
        words["outcomes"] = ["~No values were": "gone", "~_pkey\"": "conflict"]
        return words
    }

    /// The member of a payload that has the record.
    private func record(
        in mutation: Introspection.Member, _ type: Introspection.TypeDefinition
    ) -> String? {
        api.type(mutation.type.name)?.members.first {
            $0.type.name == type.name && !$0.type.isList
        }?.name
    }

    private func create(_ type: Introspection.TypeDefinition) -> JSONValue? {
        for mutation in api.mutations where mutation.name.hasPrefix("create") {
            guard let input = mutation.argument("input")?.type.name,
                let own = api.type(input)?.members.first(where: {
                    $0.type.name == "\(type.name)Input"
                }), let record = record(in: mutation, type)
            else { continue }
            return [
                "query": .string(
                    "mutation ($input: \(input)!) { \(mutation.name)(input: $input) "
                        + "{ \(record) { ${fields} } } }"),
                "variables": ["input": .object(JSONObject([(own.name, "$input")]))],
                "result": .string("\(mutation.name).\(record)"),
            ]
        }
        return nil
    }

    /// An update or a delete by the table's own key, not by the node's.
    private func change(
        _ type: Introspection.TypeDefinition, _ key: [String], _ verb: String
    ) -> JSONValue? {
        for mutation in api.mutations where mutation.name.hasPrefix(verb) {
            guard let input = mutation.argument("input")?.type.name,
                let members = api.type(input)?.members, let record = record(in: mutation, type)
            else { continue }
            let patch = members.first { $0.type.name == "\(type.name)Patch" }
            let others = members.filter {
                $0.name != "clientMutationId" && $0.name != patch?.name
            }
            guard Set(others.map(\.name)) == Set(key), (patch != nil) == (verb == "update") else {
                continue
            }
            var variables = JSONObject()
            for name in key { variables.append(name, .string("$key.\(name)")) }
            if let patch { variables.append(patch.name, "$set") }
            let fields = verb == "update" ? "${fields}" : "${key}"
            return [
                "query": .string(
                    "mutation ($input: \(input)!) { \(mutation.name)(input: $input) "
                        + "{ \(record) { \(fields) } } }"),
                "variables": ["input": .object(variables)],
                "result": .string("\(mutation.name).\(record)"),
            ]
        }
        return nil
    }
}
