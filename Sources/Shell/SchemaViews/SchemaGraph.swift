internal import JSON
internal import Records

/// The models of a schema and how they refer to each other, as a diagram's text.
struct SchemaGraph {
    private let schema: Schema
    private let edges: [Edge]

    init(_ schema: Schema) {
        self.schema = schema
        edges = schema.models.flatMap { model in
            model.relations.compactMap { Edge($0, of: model, in: schema) }
        }
    }

    /// Mermaid's entity relationship diagram.
    ///
    /// https://mermaid.js.org/syntax/entityRelationshipDiagram.html
    var mermaid: String {
        var text = "erDiagram\n"
        for model in schema.models {
            text += "  \(model.name) {\n"
            for field in model.fields {
                let type = field.isList ? field.typeName + "[]" : field.typeName
                var line = "    \(type) \(field.name)"
                let roles = roles(of: field, in: model)
                if !roles.isEmpty { line += " \(roles.joined(separator: ", "))" }
                text += line + "\n"
            }
            text += "  }\n"
        }
        for edge in edges {
            let one = edge.isRequired ? "||" : "|o"
            text += "  \(edge.parent) \(one)--\(edge.isMany ? "o{" : "o|") \(edge.child)"
            text += " : \(edge.name)\n"
        }
        return text
    }

    /// The language of Graphviz.
    var dot: String {
        var text = """
            digraph schema {
              rankdir=LR;
              node [shape=record, fontname="sans-serif"];
              edge [fontname="sans-serif", fontsize=10];

            """
        for model in schema.models {
            let fields = model.fields.map { field in
                let isKey = model.key.contains { $0.sameBytes(as: field.name) }
                return "\(isKey ? "* " : "")\(field.name): \(field.typeText)\\l"
            }
            text += "  \(model.name) [label=\"{\(model.name)|\(fields.joined())}\"];\n"
        }
        for edge in edges {
            text += "  \(edge.child) -> \(edge.parent) [label=\"\(edge.name)\""
            text += ", dir=both, arrowhead=\(edge.isRequired ? "tee" : "teeodot")"
            text += ", arrowtail=\(edge.isMany ? "crow" : "teeodot")];\n"
        }
        return text + "}\n"
    }

    private func roles(of field: Field, in model: Model) -> [String] {
        var roles: [String] = []
        if model.key.contains(where: { $0.sameBytes(as: field.name) }) { roles.append("PK") }
        let isForeign = edges.contains { edge in
            edge.child == model.name && edge.foreignKey.contains { $0.sameBytes(as: field.name) }
        }
        if isForeign { roles.append("FK") }
        return roles
    }
}

/// A foreign key: from the model that holds it to the model it names.
private struct Edge {
    let name: String
    let child: String
    let parent: String
    let foreignKey: [String]
    let isRequired: Bool
    /// Several records may hold the same key.
    let isMany: Bool

    /// Nil for a relation that is only the other side of an edge, or goes through a join model.
    init?(_ relation: Relation, of model: Model, in schema: Schema) {
        guard relation.kind != .manyToMany, let other = schema.model(relation.model) else {
            return nil
        }
        let holder = relation.holdsForeignKey ? model : other
        foreignKey = relation.holdsForeignKey ? relation.fields : relation.references
        if !relation.holdsForeignKey {
            let key = foreignKey
            let isDrawn = other.relations.contains {
                $0.holdsForeignKey && $0.model == model.name && $0.fields == key
            }
            if isDrawn { return nil }
        }
        name = relation.name
        child = holder.name
        parent = relation.holdsForeignKey ? other.name : model.name
        let key = foreignKey
        isRequired = key.allSatisfy { holder.field($0)?.isRequired ?? false }
        let back =
            relation.holdsForeignKey
            ? other.relations.first { $0.model == model.name && $0.references == key } : relation
        isMany = back.map { $0.kind == .hasMany } ?? (relation.kind == .belongsTo)
    }
}

extension Field {
    /// The type's name alone, without list and required marks.
    var typeName: String {
        switch type {
        case .scalar(let scalar): scalar.rawValue
        case .enumeration(let name), .nested(let name): name
        }
    }
}
