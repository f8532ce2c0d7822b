/// Many-to-many relations and their join models.
extension SchemaBuilder {
    private typealias Side = (model: Int, position: Int)

    /// Resolves them all; returns the join models that the schema leaves implicit.
    mutating func resolveManyToMany() -> [Draft] {
        var names: [String] = []
        var sides: [String: [Side]] = [:]
        for index in drafts.indices {
            for (position, draft) in drafts[index].relations.enumerated()
            where draft.kind == .manyToMany {
                guard let name = text("relationName", of: draft.directive) else {
                    if draft.directive.argument("relationName") == nil {
                        report(
                            draft.directive.name.offset, "@manyToMany needs a relationName",
                            hint: "write @manyToMany(relationName: \"...\") on both sides")
                    }
                    continue
                }
                if sides[name] == nil { names.append(name) }
                sides[name, default: []].append((index, position))
            }
        }
        return names.compactMap { join($0, sides[$0] ?? []) }
    }

    private mutating func join(_ relation: String, _ sides: [Side]) -> Draft? {
        let drafts = sides.map { self.drafts[$0.model].relations[$0.position] }
        guard sides.count == 2, drafts[0].target == sides[1].model,
            drafts[1].target == sides[0].model
        else {
            let last = drafts[min(2, drafts.count - 1)]
            report(
                last.directive.name.offset,
                "the relation \(relation) needs two sides, one on each of its models",
                hint: "write @manyToMany(relationName: \"\(relation)\") on both")
            return nil
        }
        guard sides[0].model != sides[1].model else {
            report(
                drafts[1].directive.name.offset, "the relation \(relation) joins a model to itself",
                hint: "write the join model with two @belongsTo, and @hasMany to it")
            return nil
        }
        let name = upperFirst(relation)
        switch kinds[name] {
        case .model(let index):
            useDeclared(index, sides, drafts)
            return nil
        case nil:
            return makeJoin(name, sides, drafts)
        default:
            report(
                drafts[0].directive.name.offset, "the relation's name \(name) is taken",
                hint: "choose another relationName")
            return nil
        }
    }

    private mutating func makeJoin(_ name: String, _ sides: [Side], _ drafts: [RelationDraft])
        -> Draft
    {
        var model = Model(name: name, fields: [Field("id", .scalar(.id), isRequired: true)])
        var foreignKeys: [[String]] = []
        for side in sides {
            let other = self.drafts[side.model].model
            var names: [String] = []
            for key in other.key {
                // "postID" for Amplify's usual key, "productSku" for any other.
                let field = lowerFirst(other.name) + (key == "id" ? "ID" : upperFirst(key))
                names.append(field)
                model.fields.append(
                    Field(field, other.field(key)?.type ?? .scalar(.id), isRequired: true))
            }
            foreignKeys.append(names)
            model.indexes.append(Index(name: "by\(other.name)", fields: names))
            model.relations.append(
                Relation(
                    name: lowerFirst(other.name), kind: .belongsTo, model: other.name,
                    fields: names, references: other.key, isRequired: true))
        }
        for (this, other) in [(0, 1), (1, 0)] {
            let draft = drafts[this]
            self.drafts[sides[this].model].relations[sides[this].position].resolved = Relation(
                name: draft.field.name.text, kind: .manyToMany,
                model: self.drafts[sides[other].model].model.name,
                fields: self.drafts[sides[this].model].model.key, references: foreignKeys[this],
                join: name, joinFields: foreignKeys[other])
        }
        let object = SDLObject(
            name: SDLName(text: name, offset: drafts[0].directive.name.offset), directives: [],
            fields: [])
        return Draft(object: object, model: model)
    }

    /// The schema writes the join model out: its `@belongsTo` say which fields are which.
    private mutating func useDeclared(_ index: Int, _ sides: [Side], _ drafts: [RelationDraft]) {
        let belongs = self.drafts[index].relations.compactMap(\.resolved)
            .filter { $0.kind == .belongsTo }
        let models = sides.map { self.drafts[$0.model].model }
        let halves = models.map { model in belongs.filter { $0.model == model.name } }
        guard halves[0].count == 1, halves[1].count == 1 else {
            report(
                self.drafts[index].object.name.offset,
                "\(self.drafts[index].model.name) joins \(models[0].name) and \(models[1].name), so it "
                    + "needs one @belongsTo to each",
                hint: "add them, or remove the type: it is made from @manyToMany")
            return
        }
        for (this, other) in [(0, 1), (1, 0)] {
            self.drafts[sides[this].model].relations[sides[this].position].resolved = Relation(
                name: drafts[this].field.name.text, kind: .manyToMany, model: models[other].name,
                fields: halves[this][0].references, references: halves[this][0].fields,
                join: self.drafts[index].model.name, joinFields: halves[other][0].fields)
        }
    }
}
