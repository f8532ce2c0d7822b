package import JSON
package import Records

/// What an API offers for each model: the names of its operations, and what it has in a record.
package struct Surface: Sendable, Equatable {
    package struct Operations: Sendable, Equatable {
        /// A page of records; with conflict detection `sync` takes its place.
        package var list: String?
        package var sync: String?
        package var get: String?
        package var create: String?
        package var update: String?
        package var delete: String?
        /// What tells of changes, by their kind.
        package var subscriptions: [ModelPlan.Write: Subscription] = [:]
        /// The fields of its records; nil where that is not known: then those of the model.
        package var fields: Set<String>?
        /// The fields that a condition of a write may ask about; nil where that is not known.
        package var conditions: Set<String>?

        package init() {}

        /// With a version that the server counts, and tombstones.
        package var isVersioned: Bool {
            sync != nil && fields?.contains("_version") ?? true
        }
    }

    /// A subscription that an API has for one kind of change of a model.
    package struct Subscription: Sendable, Equatable {
        package var name: String
        package var takesFilter = true
        /// Its arguments that name an owner.
        package var owners: [String] = []
        /// Those of them that must be there.
        package var required: [String] = []

        package init(_ name: String) { self.name = name }
    }

    package var models: [String: Operations] = [:]

    package init() {}

    /// The names that follow from a model's name, as Amplify generates them.
    package init(guessing schema: Schema, isVersioned: Bool) {
        for model in schema.models {
            let name = model.name.capitalizedFirst
            let plural = Plural.of(name)
            var operations = Operations()
            operations.list = "list\(plural)"
            operations.sync = isVersioned ? "sync\(plural)" : nil
            operations.get = "get\(name)"
            operations.create = "create\(name)"
            operations.update = "update\(name)"
            operations.delete = "delete\(name)"
            for verb in ModelPlan.Write.allCases {
                operations.subscriptions[verb] = Subscription(verb.subscription(of: model.name))
            }
            models[model.name] = operations
        }
    }

    /// What `names` of the configuration may name of a model.
    package static let renamable =
        ["list", "sync", "get"] + ModelPlan.Write.allCases.map(\.rawValue)
        + ModelPlan.Write.allCases.map { "on_\($0.rawValue)" }

    /// Takes names from the configuration: `{"Post":{"list":"allPosts"}}`.
    package mutating func rename(_ names: JSONObject) {
        for (model, words) in names.pairs {
            var operations = models[model] ?? Operations()
            if let name = words["list"]?.text { operations.list = name }
            if let name = words["sync"]?.text { operations.sync = name }
            if let name = words["get"]?.text { operations.get = name }
            if let name = words["create"]?.text { operations.create = name }
            if let name = words["update"]?.text { operations.update = name }
            if let name = words["delete"]?.text { operations.delete = name }
            for verb in ModelPlan.Write.allCases {
                guard let name = words["on_\(verb.rawValue)"]?.text else { continue }
                operations.subscriptions[verb] = Subscription(name)
            }
            models[model] = operations
        }
    }

    /// Leaves conflict detection alone, whatever the API offers.
    package mutating func forgetVersions() {
        for name in models.keys { models[name]?.sync = nil }
    }
}

extension Surface {
    /// Asks an API for what it offers; short, where the whole introspection takes megabytes.
    package static func question(_ schema: Schema) -> GraphQLRequest {
        var text = """
            query SatchelSurface {
              __schema {
                queryType { fields { ...Operation } }
                mutationType { fields { ...Operation } }
                subscriptionType { fields { ...Operation } }
              }

            """
        for (index, model) in schema.models.enumerated() {
            text += "  m\(index): __type(name: \"\(model.name)\") { fields { name } }\n"
            text += "  c\(index): __type(name: \"Model\(model.name)ConditionInput\") "
            text += "{ inputFields { name } }\n"
        }
        text += """
            }
            fragment Operation on __Field {
              name
              args { name type { kind name ofType { name } } }
              type { name ofType { name } }
            }
            """
        return GraphQLRequest(Document(text, path: ["__schema"]))
    }

    /// Reads the answer to `question`.
    package init(_ answer: GraphQLAnswer, _ schema: Schema) {
        let root = answer.data["__schema"]
        let queries = Self.operations(root?["queryType"]?["fields"])
        let mutations = Self.operations(root?["mutationType"]?["fields"])
        let events = Self.operations(root?["subscriptionType"]?["fields"])
        for (index, model) in schema.models.enumerated() {
            var found = Operations()
            found.fields = Self.names(answer.data["m\(index)"]?["fields"])
            found.conditions = Self.names(answer.data["c\(index)"]?["inputFields"])
            let pages = queries.filter { $0.type == "Model\(model.name)Connection" }
            found.sync = pages.first { $0.arguments.contains("lastSync") }?.name
            let lists = pages.filter { $0.required.isEmpty && !$0.arguments.contains("lastSync") }
            found.list = (lists.first { $0.name.hasPrefix("list") } ?? lists.first)?.name
            let single = queries.filter { $0.type == model.name }
            found.get =
                (single.first { $0.name == "get\(model.name.capitalizedFirst)" }
                ?? single.first { $0.required == Set(model.key) })?.name
            func mutation(_ verb: String) -> String? {
                mutations.first { $0.inputs.contains("\(verb)\(model.name)Input") }?.name
            }
            found.create = mutation("Create")
            found.update = mutation("Update")
            found.delete = mutation("Delete")
            for verb in ModelPlan.Write.allCases {
                let usual = verb.subscription(of: model.name)
                found.subscriptions[verb] = events.first { $0.name == usual }?.subscription
            }
            models[model.name] = found
        }
    }

    fileprivate struct Operation {
        var name: String
        var type: String
        var arguments: Set<String> = []
        var required: Set<String> = []
        /// The names of the arguments' types.
        var inputs: Set<String> = []
    }

    private static func operations(_ fields: JSONValue?) -> [Operation] {
        (fields?.elements ?? []).compactMap { field in
            guard let name = field["name"]?.text else { return nil }
            var operation = Operation(name: name, type: named(field["type"]))
            for argument in field["args"]?.elements ?? [] {
                guard let name = argument["name"]?.text else { continue }
                operation.arguments.insert(name)
                operation.inputs.insert(named(argument["type"]))
                if argument["type"]?["kind"] == "NON_NULL" { operation.required.insert(name) }
            }
            return operation
        }
    }

    private static func named(_ type: JSONValue?) -> String {
        type?["name"]?.text ?? type?["ofType"]?["name"]?.text ?? ""
    }

    private static func names(_ fields: JSONValue?) -> Set<String>? {
        fields?.elements.map { Set($0.compactMap { $0["name"]?.text }) }
    }
}

extension Surface.Operation {
    /// As a subscription: what is no filter is taken for an owner's name.
    fileprivate var subscription: Surface.Subscription {
        var found = Surface.Subscription(name)
        found.takesFilter = arguments.contains("filter")
        found.owners = arguments.filter { $0 != "filter" }.sorted()
        found.required = required.sorted()
        return found
    }
}

extension ModelPlan.Write {
    /// The name that Amplify gives a model's subscription.
    func subscription(of model: String) -> String {
        "on\(rawValue.capitalizedFirst)\(model.capitalizedFirst)"
    }
}

extension String {
    /// With its first letter in upper case.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// With its first letter in lower case.
    var uncapitalizedFirst: String { prefix(1).lowercased() + dropFirst() }
}
