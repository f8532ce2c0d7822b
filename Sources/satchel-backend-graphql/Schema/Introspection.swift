internal import JSON

/// What an API tells of its types when it is asked for all of them.
package struct Introspection: Sendable {
    package struct TypeReference: Sendable, Equatable {
        package var name: String
        package var isList = false
        /// The value, or the list, may not be null.
        package var isRequired = false
        package var hasRequiredElements = false
    }

    package struct Member: Sendable {
        package var name: String
        package var type: TypeReference
        package var arguments: [Member] = []
    }

    package struct TypeDefinition: Sendable {
        package var name: String
        package var kind: String
        /// Of an object its fields, of an input its input fields.
        package var members: [Member] = []
        package var values: [String] = []

        package func member(_ name: String) -> Member? {
            members.first { $0.name.sameBytes(as: name) }
        }
    }

    package let types: [TypeDefinition]
    package let queries: [Member]
    package let mutations: [Member]
    package let subscriptions: [Member]
    private let places: [String: Int]

    package func type(_ name: String) -> TypeDefinition? { places[name].map { types[$0] } }

    package static let question = GraphQLRequest(
        Document(
            """
            query SatchelSchema {
              __schema {
                queryType { name }
                mutationType { name }
                subscriptionType { name }
                types {
                  kind
                  name
                  fields { name args { name type { ...Reference } } type { ...Reference } }
                  inputFields { name type { ...Reference } }
                  enumValues { name }
                }
              }
            }
            fragment Reference on __Type {
              kind name
              ofType { kind name ofType { kind name ofType { kind name } } }
            }
            """, path: ["__schema"]))

    /// Reads the answer to `question`; nil when there is no schema in it.
    package init?(_ answer: GraphQLAnswer) {
        guard let root = answer.value(at: ["__schema"]), let list = root["types"]?.elements else {
            return nil
        }
        let types = list.compactMap(Self.definition)
        let places = Dictionary(
            types.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { a, _ in a }
        )
        func members(_ key: String) -> [Member] {
            guard let name = root[key]?["name"]?.text, let place = places[name] else { return [] }
            return types[place].members
        }
        queries = members("queryType")
        mutations = members("mutationType")
        subscriptions = members("subscriptionType")
        self.types = types
        self.places = places
    }

    private static func definition(_ json: JSONValue) -> TypeDefinition? {
        guard let name = json["name"]?.text, let kind = json["kind"]?.text else { return nil }
        let members = json["fields"]?.elements ?? json["inputFields"]?.elements ?? []
        return TypeDefinition(
            name: name, kind: kind, members: members.compactMap(member),
            values: (json["enumValues"]?.elements ?? []).compactMap { $0["name"]?.text })
    }

    private static func member(_ json: JSONValue) -> Member? {
        guard let name = json["name"]?.text, let type = json["type"].flatMap(reference) else {
            return nil
        }
        return Member(
            name: name, type: type,
            arguments: (json["args"]?.elements ?? []).compactMap(member))
    }

    /// A type with its wrappers taken off; nil for a list of lists, which no record holds.
    private static func reference(_ json: JSONValue) -> TypeReference? {
        var result = TypeReference(name: "")
        var type = json
        for _ in 0..<4 {
            let inner = type["ofType"] ?? .null
            switch type["kind"]?.text {
            case "NON_NULL":
                if result.isList {
                    result.hasRequiredElements = true
                } else {
                    result.isRequired = true
                }
                type = inner
            case "LIST":
                if result.isList { return nil }
                result.isList = true
                type = inner
            default:
                guard let name = type["name"]?.text else { return nil }
                result.name = name
                return result
            }
        }
        return nil
    }
}
