package import JSON
package import PluginKit

/// How records of one model are asked for, written and heard of, as a mapping tells.
package struct ModelMapping: Sendable, Equatable {
    /// A subscription, and what its results are.
    package struct Subscription: Sendable, Equatable {
        package enum Kind: String, Sendable, CaseIterable {
            /// A record that was written or deleted.
            case record
            /// The key of one.
            case key
            /// All records, whenever one of them has changed.
            case snapshot
            /// That something has changed.
            case anything
        }

        package var step: MappingStep
        package var tells: Kind
        /// What it tells of was deleted.
        package var isDeletion: Bool
        /// How many records a snapshot has at most; nil for all there are.
        package var window: Int64?
    }

    /// How a record tells that it was deleted.
    package struct Deletion: Sendable, Equatable {
        package var field: String
        /// The field's value then; nil for any but null and false.
        package var value: JSONValue?
    }

    /// The API's name of the type.
    package var type: String
    /// The API's names of fields that have another one here.
    package var fields: [String: String]
    /// The field that is another after every write; nil for none.
    package var version: String?
    package var deletion: Deletion?
    /// The field that a delta goes by, of values that only grow.
    package var since: String?
    /// The API makes the keys of new records.
    package var assignsIDs: Bool
    /// Fields that are numbers there and ids here.
    package var numbers: Set<String>
    /// Fields that hold any JSON there, and its text here.
    package var documents: Set<String>
    /// Fields of the model that the API does not have; they stay here.
    package var missing: Set<String>

    package var list: MappingStep?
    package var delta: MappingStep?
    package var get: MappingStep?
    package var create: MappingStep?
    package var update: MappingStep?
    package var delete: MappingStep?
    package var subscriptions: [Subscription]
    /// What a name of an error, a code or a type of a result means, by that name.
    package var outcomes: [String: MappingOutcome]

    /// Reads a model's mapping as `satchel.json` has it.
    ///
    /// - Throws: Kind `.permanent`, naming the key.
    package init(_ words: JSONObject, model: String) throws(PluginError) {
        let place = "mapping.models.\(model)"
        func step(_ key: String) throws(PluginError) -> MappingStep? {
            guard let json = words[key], !json.isNull else { return nil }
            return try MappingStep(json, at: "\(place).\(key)")
        }
        func texts(_ key: String) -> Set<String> {
            Set((words[key]?.elements ?? []).compactMap(\.text))
        }
        type = words["type"]?.text ?? model
        fields = Dictionary(
            (words["fields"]?.members?.pairs ?? []).compactMap { pair in
                pair.value.text.map { (pair.key, $0) }
            }, uniquingKeysWith: { $1 })
        version = words["version"]?.text
        since = words["since"]?.text
        assignsIDs = words["assigns_ids"] == true
        numbers = texts("numbers")
        documents = texts("documents")
        missing = texts("missing")
        if let field = words["deleted"]?.text {
            deletion = Deletion(field: field)
        } else if let field = words["deleted"]?["field"]?.text {
            deletion = Deletion(field: field, value: words["deleted"]?["value"])
        }
        list = try step("list")
        delta = try step("delta")
        get = try step("get")
        create = try step("create")
        update = try step("update")
        delete = try step("delete")
        subscriptions = []
        let live = words["subscribe"] ?? .null
        for json in live.elements ?? (live.isNull ? [] : [live]) {
            let step = try MappingStep(json, at: "\(place).subscribe")
            let word = json["tells"]?.text ?? Subscription.Kind.record.rawValue
            guard let kind = Subscription.Kind(rawValue: word) else {
                let words = Subscription.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .setting("\(place).subscribe.tells", "it is one of \(words)")
            }
            subscriptions.append(
                Subscription(
                    step: step, tells: kind, isDeletion: json["deleted"] == true,
                    window: json["window"]?.integer))
        }
        outcomes = [:]
        for (name, value) in words["outcomes"]?.members?.pairs ?? [] {
            guard let outcome = value.text.flatMap(MappingOutcome.init(rawValue:)) else {
                let words = MappingOutcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw .setting("\(place).outcomes.\(name)", "it is one of \(words)")
            }
            outcomes[name] = outcome
        }
    }

    package func step(_ verb: ModelPlan.Write) -> MappingStep? {
        switch verb {
        case .create: create
        case .update: update
        case .delete: delete
        }
    }
}

/// What an API's refusal comes to.
package enum MappingOutcome: String, Sendable, CaseIterable {
    case conflict, gone, rejected, permission, auth, retry
    /// Whether it was done is not known.
    case unknown
}
