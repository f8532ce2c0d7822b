internal import JSON
package import Records

/// Which fields of which model name a record of another one.
///
/// A relation may be declared on one side alone: `comments: [Comment] @hasMany` makes a foreign key
/// of the comment's `postID`, whether or not the comment says `@belongsTo`.
package struct ForeignKeys: Sendable {
    private let held: [String: [Relation]]
    private let pointing: [String: [(child: Model, relation: Relation)]]

    package init(_ schema: Schema) {
        var held: [String: [Relation]] = [:]
        for model in schema.models {
            held[model.name] = model.relations.filter(model.holdsForeignKey)
        }
        for model in schema.models {
            for relation in model.relations where !model.holdsForeignKey(of: relation) {
                let child = relation.join ?? relation.model
                let isDeclared = held[child]?.contains {
                    $0.model.sameBytes(as: model.name) && $0.fields == relation.references
                }
                if isDeclared != false { continue }
                held[child]?.append(
                    Relation(
                        name: relation.name, kind: .belongsTo, model: model.name,
                        fields: relation.references, references: relation.fields))
            }
        }
        var pointing: [String: [(child: Model, relation: Relation)]] = [:]
        for child in schema.models {
            for relation in held[child.name] ?? [] {
                pointing[relation.model, default: []].append((child, relation))
            }
        }
        (self.held, self.pointing) = (held, pointing)
    }

    /// Those that records of `model` hold, each as the relation to the record that it names.
    package func held(by model: Model) -> [Relation] { held[model.name] ?? [] }

    /// Those that name records of `model`, each with the model that holds it.
    package func pointing(to model: Model) -> [(child: Model, relation: Relation)] {
        pointing[model.name] ?? []
    }
}

extension Model {
    /// True when this model's records hold the key of the other side of `relation`.
    fileprivate func holdsForeignKey(of relation: Relation) -> Bool {
        switch relation.kind {
        case .belongsTo: true
        case .hasOne: relation.fields != key
        case .hasMany, .manyToMany: false
        }
    }
}
