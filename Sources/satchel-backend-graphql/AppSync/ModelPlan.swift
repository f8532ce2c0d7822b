package import JSON
internal import PluginKit
package import Records

/// How records of one model are asked for and written: the documents, made once.
package struct ModelPlan: Sendable {
    package let model: Model
    package let isVersioned: Bool
    /// The kind of access its requests have; nil for the usual one.
    package let mode: Access.Mode?
    package let operations: Surface.Operations
    /// The fields that the server has, in schema order.
    package let fields: [Field]
    /// The field whose value is a record's version, without conflict detection.
    ///
    /// Nil where the server has none: then the version is a hash of the record.
    package let stamp: String?
    /// True when a condition of a write may ask for the stamp.
    package let canCondition: Bool
    /// Fields of the local schema that the server does not have.
    package let missing: [String]
    /// The server's names of fields that it spells in other letters: `postId` for `postID`.
    private let wireNames: [String: String]
    /// The fields that name an owner, which the server sets for whoever makes the record.
    let owners: Set<String>
    private let values: String
    private let answered: String

    package init(
        _ model: Model, in schema: Schema, _ operations: Surface.Operations,
        versionField: String = "updatedAt", modes: [String: Access.Mode] = [:]
    ) {
        self.model = model
        mode = modes[model.name]
        self.operations = operations
        isVersioned = operations.isVersioned
        let wireNames = Self.wireNames(of: model, operations.fields)
        let isThere: (String) -> Bool = {
            operations.fields?.contains(wireNames[$0] ?? $0) ?? true
        }
        self.wireNames = wireNames
        fields = model.fields.filter { isThere($0.name) }
        missing = model.fields.map(\.name).filter { !isThere($0) }
        let hasStamp =
            operations.fields?.contains(versionField) ?? (model.field(versionField) != nil)
        stamp = isVersioned || !hasStamp ? nil : versionField
        canCondition = operations.conditions?.contains(versionField) ?? true
        var values = Selection.of(fields, in: schema, as: wireNames)
        if isVersioned { values += " _version _deleted _lastChangedAt" }
        if let stamp, model.field(stamp) == nil { values += " \(stamp)" }
        // By the owner AppSync chooses whom it tells of a write, from what the write selects; and a
        // person wants to see it, whether the schema names it or leaves it to Amplify.
        owners = Set(operations.subscriptions.values.flatMap(\.owners)).filter {
            operations.fields?.contains($0) == true
        }
        for owner in owners.sorted() where model.field(owner) == nil { values += " \(owner)" }
        self.values = values
        var answered = values
        // Other clients hear of a write only what this one selects.
        for relation in model.relations where relation.holdsForeignKey && isThere(relation.name) {
            // Who may write this model need not be who may read the other.
            guard let other = schema.model(relation.model), modes[other.name] == mode else {
                continue
            }
            let deleted = isVersioned ? " _deleted" : ""
            answered += " \(relation.name) { \(other.key.joined(separator: " "))\(deleted) }"
        }
        self.answered = answered + " __typename"
    }
}

extension ModelPlan {
    /// Names that differ from the server's only in the case of their letters: which the keys of join
    /// models have depends on the age of an Amplify project.
    private static func wireNames(of model: Model, _ theirs: Set<String>?) -> [String: String] {
        guard let theirs else { return [:] }
        var names: [String: String] = [:]
        for field in model.fields where !theirs.contains(field.name) {
            let alike = theirs.filter { $0.lowercased() == field.name.lowercased() }
            guard alike.count == 1, let name = alike.first, model.field(name) == nil else {
                continue
            }
            names[field.name] = name
        }
        return names
    }

    /// True when some field has another name at the server.
    var hasWireNames: Bool { !wireNames.isEmpty }

    /// The server's name of a field.
    func wireName(_ name: String) -> String { wireNames[name] ?? name }

    /// Our name of a field of the server's.
    func localName(_ name: String) -> String {
        wireNames.first { $0.value.sameBytes(as: name) }?.key ?? name
    }

    /// A page of records; nil where the API has no such query.
    package func page(filtered: Bool = false) -> Document? {
        guard let name = isVersioned ? operations.sync : operations.list else { return nil }
        var variables = "$limit: Int, $nextToken: String"
        var arguments = "limit: $limit, nextToken: $nextToken"
        if isVersioned {
            variables += ", $lastSync: AWSTimestamp"
            arguments += ", lastSync: $lastSync"
        }
        if filtered {
            variables += ", $filter: Model\(model.name)FilterInput"
            arguments += ", filter: $filter"
        }
        let start = isVersioned ? " startedAt" : ""
        return Document(
            "query \(name.capitalizedFirst)(\(variables)) "
                + "{ \(name)(\(arguments)) { items { \(values) } nextToken\(start) } }",
            path: [name], mode: mode)
    }

    /// Some records by their keys; nil where the API has no such query.
    ///
    /// Their aliases are `r0`, `r1` and so on.
    package func fetch(_ keys: [JSONObject]) -> GraphQLRequest? {
        guard let name = operations.get else { return nil }
        var declared: [String] = []
        var parts = ""
        var variables = JSONObject()
        for (index, key) in keys.enumerated() {
            var arguments: [String] = []
            for (place, pair) in key.pairs.enumerated() {
                let variable = "k\(index)_\(place)"
                let type = model.field(pair.key).map(Self.typeName) ?? "ID"
                declared.append("$\(variable): \(type)!")
                arguments.append("\(wireName(pair.key)): $\(variable)")
                variables.append(variable, pair.value)
            }
            parts += " r\(index): \(name)(\(arguments.joined(separator: ", "))) { ...Values }"
        }
        let text =
            "query \(name.capitalizedFirst)(\(declared.joined(separator: ", "))) {\(parts) } "
            + "fragment Values on \(model.name) { \(values) }"
        return GraphQLRequest(Document(text, path: ["r0"], mode: mode), variables)
    }

    /// A write; nil where the API has no such mutation.
    package func write(_ verb: Write, conditional: Bool) -> Document? {
        let name: String? =
            switch verb {
            case .create: operations.create
            case .update: operations.update
            case .delete: operations.delete
            }
        guard let name else { return nil }
        let type = verb.rawValue.capitalizedFirst
        let condition =
            conditional
            ? (", $condition: Model\(model.name)ConditionInput", ", condition: $condition")
            : ("", "")
        return Document(
            "mutation \(name.capitalizedFirst)($input: \(type)\(model.name)Input!\(condition.0)) "
                + "{ \(name)(input: $input\(condition.1)) { \(answered) } }",
            path: [name], isMutation: true, mode: mode)
    }

    /// A kind of mutation that an API has for each model.
    package enum Write: String, Sendable, CaseIterable { case create, update, delete }

    private static func typeName(_ field: Field) -> String {
        switch field.type {
        case .scalar(let scalar): scalar.rawValue
        case .enumeration(let name), .nested(let name): name
        }
    }
}

/// What is asked of a record.
package enum Selection {
    /// How deep values may hold others: a type may hold itself.
    private static let depth = 6

    /// Every field, with all that a value of a type of its own has.
    ///
    /// `names` has the server's names of fields that have others there.
    package static func of(
        _ fields: [Field], in schema: Schema, as names: [String: String] = [:]
    ) -> String {
        of(fields, in: schema, as: names, depth: 0)
    }

    private static func of(
        _ fields: [Field], in schema: Schema, as names: [String: String], depth: Int
    ) -> String {
        fields.compactMap { field in
            let alias = names[field.name].map { "\(field.name): \($0)" } ?? field.name
            guard case .nested(let name) = field.type else { return alias }
            guard depth < Self.depth, let type = schema.nestedType(name) else { return nil }
            let inner = of(type.fields, in: schema, as: [:], depth: depth + 1)
            return inner.isEmpty ? nil : "\(alias) { \(inner) }"
        }.joined(separator: " ")
    }
}
