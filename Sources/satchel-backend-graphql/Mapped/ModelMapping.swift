package import JSON
internal import PluginKit

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

    /// Reads a model's mapping as `satchel.json` has it; `type` is the API's name of it, unless it says
    /// another.
    ///
    /// - Throws: Kind `.permanent`, naming the key.
    init(_ values: SettingValues, type usual: String) throws(PluginError) {
        func step(_ key: String) throws(PluginError) -> MappingStep? {
            guard let json = values.value(key) else { return nil }
            return try MappingStep(json, at: values.key(key))
        }
        type = try values.name("type") ?? usual
        fields = try values.textsByName("fields")
        for (name, theirs) in fields where !theirs.isGraphQLName {
            throw .setting(
                values.key("fields.\(name)"), "\"\(theirs)\" is no name that GraphQL has")
        }
        version = try values.name("version")
        since = try values.name("since")
        assignsIDs = try values.flag("assigns_ids")
        numbers = Set(try values.texts("numbers"))
        documents = Set(try values.texts("documents"))
        missing = Set(try values.texts("missing"))
        deletion = try Deletion(values)
        list = try step("list")
        delta = try step("delta")
        get = try step("get")
        create = try step("create")
        update = try step("update")
        delete = try step("delete")
        subscriptions = []
        if let live = values.value("subscribe") {
            for json in live.elements ?? [live] {
                subscriptions.append(try Subscription(json, at: values.key("subscribe")))
            }
        }
        outcomes = [:]
        guard let words = values.value("outcomes") else { return }
        guard let members = words.members else {
            throw .setting(
                values.key("outcomes"),
                "it has a meaning for each name, as {\"NOT_FOUND\": \"gone\"}")
        }
        for (name, value) in members.pairs {
            guard let outcome = value.text.flatMap(MappingOutcome.init(rawValue:)) else {
                let words = MappingOutcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw .setting(values.key("outcomes.\(name)"), "it is one of \(words)")
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

extension ModelMapping.Deletion {
    fileprivate init?(_ values: SettingValues) throws(PluginError) {
        guard let word = values.value("deleted") else { return nil }
        if let field = word.text, field.isGraphQLName {
            self.init(field: field)
        } else if let field = word["field"]?.text, field.isGraphQLName {
            self.init(field: field, value: word["value"])
        } else {
            throw .setting(
                values.key("deleted"),
                "it is the name of a field, or {\"field\": \"state\", \"value\": \"GONE\"}")
        }
    }
}

extension ModelMapping.Subscription {
    fileprivate init(_ json: JSONValue, at place: String) throws(PluginError) {
        let values = SettingValues(json.members ?? JSONObject(), at: place)
        self.init(
            step: try MappingStep(json, at: place), tells: try values.choice("tells", Kind.record),
            isDeletion: try values.flag("deleted"),
            window: try values.number("window", in: 1...(.max)))
    }
}

/// What an API's refusal comes to.
package enum MappingOutcome: String, Sendable, CaseIterable {
    case conflict, gone, rejected, permission, auth, retry
    /// Whether it was done is not known.
    case unknown
}
