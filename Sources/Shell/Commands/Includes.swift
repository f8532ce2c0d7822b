internal import JSON
internal import Records
internal import Storage

/// The relations that `include` asks for, and how to follow them.
struct Includes {
    struct Node {
        var relation: Relation
        var model: Model
        var children: [Node] = []
    }

    private let store: Store
    private let model: Model
    private(set) var nodes: [Node] = []

    /// - Parameters:
    ///   - paths: Such as `comments.author`; a path includes the steps on its way.
    ///   - model: Where the paths begin.
    ///   - open: Whose schema has the relations.
    /// - Throws: Kind `.usage` for a step that is no relation.
    init(_ paths: [String], of model: Model, in open: OpenWorkspace) throws(ShellError) {
        store = open.store
        self.model = model
        for path in paths {
            let steps = path.split(separator: ".", omittingEmptySubsequences: false)
            try Self.add(steps.map(String.init)[...], of: model, open.schema, to: &nodes)
        }
    }

    var isEmpty: Bool { nodes.isEmpty }
    var names: [String] { nodes.map(\.relation.name) }

    private static func add(
        _ steps: ArraySlice<String>, of model: Model, _ schema: Schema, to nodes: inout [Node]
    ) throws(ShellError) {
        guard let step = steps.first else { return }
        guard let relation = model.relation(step), let other = schema.model(relation.model) else {
            let names = model.relations.map(\.name)
            throw .usage(
                "\(model.name) has no relation \"\(step)\"",
                hint: didYouMean(step, among: names).map { "did you mean \"\($0)\"?" }
                    ?? (names.isEmpty
                        ? "it has no relations" : "it has \(names.joined(separator: ", "))"))
        }
        let index: Int
        if let found = nodes.firstIndex(where: { $0.relation.name.sameBytes(as: step) }) {
            index = found
        } else {
            nodes.append(Node(relation: relation, model: other))
            index = nodes.count - 1
        }
        try add(steps.dropFirst(), of: other, schema, to: &nodes[index].children)
    }

    /// One value a relation: an object or null for one record, an array for several.
    func values(of record: JSONObject) throws(StoreError) -> [JSONValue] {
        var values: [JSONValue] = []
        for node in nodes { values.append(try value(node, of: record, in: model)) }
        return values
    }

    private func value(_ node: Node, of record: JSONObject, in model: Model)
        throws(StoreError) -> JSONValue
    {
        let isToMany = node.relation.kind == .hasMany || node.relation.kind == .manyToMany
        var found: [JSONValue] = []
        let related = try store.related(
            node.relation, of: record, in: model, limit: isToMany ? .max : 1)
        for (_, stored) in related {
            var object = stored.record
            for child in node.children {
                object[child.relation.name] = try value(child, of: object, in: node.model)
            }
            found.append(.object(object))
        }
        return isToMany ? .array(found) : found.first ?? .null
    }
}
