internal import JSON
internal import Records

/// A model beside the type that a table became in an API.
struct ShapedTable {
    let model: Model
    let own: JSONObject
    let type: Introspection.TypeDefinition?
    private let api: Introspection
    private let names: [String: String]

    init(_ model: Model, _ own: JSONObject, _ api: Introspection, named name: String) {
        self.model = model
        self.own = own
        self.api = api
        let told = own["fields"]?.members ?? JSONObject()
        let type = Self.find(own["type"]?.text ?? name, api)
        self.type = type
        var names: [String: String] = [:]
        for field in model.fields {
            if let name = told[field.name]?.text {
                names[field.name] = name
            } else if let type, type.member(field.name) == nil {
                // `post_id` and `postId` are one field in two ways of writing.
                let plain = Self.plain(field.name)
                let alike = type.members.filter {
                    Self.plain($0.name) == plain && model.field($0.name) == nil
                }
                if alike.count == 1 { names[field.name] = alike[0].name }
            }
        }
        self.names = names
    }

    /// The type of that name, or of one that differs in case, underscores and number only.
    private static func find(_ name: String, _ api: Introspection) -> Introspection.TypeDefinition?
    {
        if let type = api.type(name), type.kind == "OBJECT" { return type }
        let names = [plain(name), plain(Plural.of(name))]
        let alike = api.types.filter { $0.kind == "OBJECT" && names.contains(plain($0.name)) }
        return alike.count == 1 ? alike[0] : nil
    }

    private static func plain(_ name: String) -> String {
        name.lowercased().split(separator: "_").joined()
    }

    /// The API's name of a field.
    func wire(_ name: String) -> String { names[name] ?? name }

    /// The field that tells one state of a row from another: the one that is named, else the first
    /// of these that there is.
    func stamp(_ usual: [String]) -> String? {
        if let told = own["version"] { return told.text }
        return usual.first { type?.member($0) != nil }
    }

    /// The step that asks for one row by the columns of its key; nil where there is no such query.
    func get(_ key: [String]) -> JSONValue? {
        let query = api.queries.first { query in
            query.type.name == type?.name && !query.type.isList
                && Set(query.arguments.map(\.name)) == Set(key)
        }
        guard let query else { return nil }
        let declared = query.arguments.map { "$\($0.name): \($0.type.name)!" }
        let passed = query.arguments.map { argument in
            "\(argument.name): $\(argument.name)"
        }
        // A key's columns may have the names of variables that stand for something else.
        let values = key.map { name in (name, JSONValue.string("$key.\(name)")) }
        return [
            "query": .string(
                "query (\(declared.joined(separator: ", "))) { \(query.name)("
                    + "\(passed.joined(separator: ", "))) { ${fields} } }"),
            "variables": .object(JSONObject(values)), "result": .string(query.name),
        ]
    }

    /// What follows from the fields' types: the entries of a mapping that every shape has.
    var words: JSONObject {
        guard let type else { return JSONObject() }
        var numbers: [JSONValue] = []
        var documents: [JSONValue] = []
        var missing: [JSONValue] = []
        for field in model.fields {
            guard let member = type.member(wire(field.name)) else {
                missing.append(.string(field.name))
                continue
            }
            let scalar = member.type.name
            if field.type == .scalar(.id), ScalarNames.numbers.contains(scalar) {
                numbers.append(.string(field.name))
            }
            if field.type == .scalar(.json), ScalarNames.documents.contains(scalar) {
                documents.append(.string(field.name))
            }
        }
        let isNumbered =
            model.key.count == 1
            && numbers.contains { $0.text?.sameBytes(as: model.key[0]) ?? false }
        return JSONObject([
            ("type", .string(type.name)),
            (
                "fields",
                .object(
                    JSONObject(
                        unchecked: names.sorted { $0.key < $1.key }.map {
                            (key: $0.key, value: .string($0.value))
                        }))
            ),
            ("numbers", .array(numbers)), ("documents", .array(documents)),
            ("missing", .array(missing)), ("assigns_ids", .bool(isNumbered)),
        ])
    }
}

/// Names that databases give to scalars, and what they are here.
enum ScalarNames {
    static let numbers: Set<String> = ["Int", "bigint", "smallint", "BigInt"]
    static let documents: Set<String> = ["jsonb", "json", "JSON", "JSONObject"]

    private static let known: [String: Scalar] = [
        "uuid": .id, "UUID": .id, "timestamptz": .dateTime, "Datetime": .dateTime,
        "DateTime": .dateTime, "date": .date, "Date": .date, "time": .time, "timetz": .time,
        "Time": .time, "jsonb": .json, "json": .json, "JSON": .json, "JSONObject": .json,
        "bigint": .int, "smallint": .int, "numeric": .float, "float8": .float, "float4": .float,
        "real": .float, "Decimal": .string,
    ]

    /// What a scalar is here; a text as it travels where it is not known.
    static func scalar(_ name: String) -> Scalar {
        Scalar(rawValue: name) ?? known[name] ?? .string
    }
}

extension Introspection.Member {
    func argument(_ name: String) -> Introspection.Member? {
        arguments.first { $0.name.sameBytes(as: name) }
    }
}
