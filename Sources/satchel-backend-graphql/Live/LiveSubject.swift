package import JSON
package import Records

/// One kind of change of one model: a subscription.
package struct LiveSubject: Sendable, Equatable {
    package let model: String
    package let verb: ModelPlan.Write
    private let operation: Surface.Subscription
    private let selection: String
    /// The kind of access it is asked for with; nil for that of the connection.
    package let mode: Access.Mode?
    /// Nil where it has none that can be said.
    private let filter: JSONValue?
    /// The values for the owner arguments, one try after the other.
    package let owners: [JSONObject]

    /// How one try differs from the next.
    package struct Try: Sendable, Equatable {
        package var isFiltered: Bool
        /// The place among `owners`.
        package var owner: Int
    }

    /// Nil where the API has no such subscription.
    ///
    /// `names` has whom the credentials name, the likeliest form first; `filter` is a
    /// `ModelSubscription…FilterInput` of the records that are wanted.
    package init?(
        _ plan: ModelPlan, _ verb: ModelPlan.Write, names: [String], filter: JSONValue?
    ) {
        guard let operation = plan.operations.subscriptions[verb] else { return nil }
        model = plan.model.name
        self.verb = verb
        self.operation = operation
        selection = plan.sign
        mode = plan.mode
        // An update or a delete may be of a record that was wanted: only a create cannot.
        self.filter = verb == .create && operation.takesFilter ? filter : .none
        var owners: [JSONObject] = operation.required.isEmpty ? [JSONObject()] : []
        let wanted =
            operation.required.isEmpty ? operation.owners.prefix(1) : operation.required[...]
        for name in names where !wanted.isEmpty {
            owners.append(JSONObject(wanted.map { ($0, JSONValue.string(name)) }))
        }
        if owners.isEmpty { owners = [JSONObject()] }
        self.owners = owners
    }

    package var firstTry: Try { Try(isFiltered: filter != nil, owner: 0) }

    /// The document of a try.
    ///
    /// It asks for what names the record and its version, no more: a writer who selects less than
    /// is subscribed for would otherwise hide the whole event.
    package func request(_ attempt: Try) -> GraphQLRequest {
        var declared: [String] = []
        var arguments: [String] = []
        var variables = JSONObject()
        for (name, value) in owners[min(attempt.owner, owners.count - 1)].pairs {
            let must = operation.required.contains(name) ? "!" : ""
            declared.append("$\(name): String\(must)")
            arguments.append("\(name): $\(name)")
            variables.append(name, value)
        }
        if attempt.isFiltered, let filter {
            declared.append("$filter: ModelSubscription\(model)FilterInput")
            arguments.append("filter: $filter")
            variables.append("filter", filter)
        }
        let heads = declared.isEmpty ? "" : "(\(declared.joined(separator: ", ")))"
        let inner = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        let name = operation.name
        return GraphQLRequest(
            Document(
                "subscription \(name.capitalizedFirst)\(heads) { \(name)\(inner) { \(selection) } }",
                path: [name], mode: mode), variables)
    }

    /// The field of an event's data that holds the record.
    package var root: String { operation.name }
}

extension ModelPlan {
    /// What names a record and its version, as the server spells it: events know no aliases.
    var sign: String {
        var names = model.key.map(wireName)
        if isVersioned {
            names += ["_version", "_deleted"]
        } else if let stamp {
            names.append(stamp)
        }
        return names.joined(separator: " ")
    }

    /// What an event tells: a record's id, its version where there is one, and whether it is gone.
    ///
    /// Nil where it names no record.
    package func told(_ json: JSONValue, _ verb: Write) -> (
        id: RecordID, version: JSONValue?, isDeleted: Bool
    )? {
        guard case .object(let members) = json else { return nil }
        var key = JSONObject()
        for name in model.key {
            guard let value = members[wireName(name)], !value.isNull else { return nil }
            key.append(name, value)
        }
        guard let id = model.id(of: key) else { return nil }
        let version = isVersioned ? members["_version"] : stamp.flatMap { members[$0] }
        let isKnown = version.map { !$0.isNull } ?? false
        return (
            id, isKnown ? version : .none, verb == .delete || members["_deleted"] == true
        )
    }
}
