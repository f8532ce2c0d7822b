/// Relations and the foreign keys behind them, by Amplify's rules.
extension SchemaBuilder {
    mutating func addRelation(_ field: SDLField, of index: Int, to target: Int) {
        var path: String { "\(drafts[index].model.name).\(field.name.text)" }
        let directives = field.directives.filter { isRelation($0) }
        guard let directive = directives.first,
            let kind = Relation.Kind(rawValue: directive.name.text)
        else {
            if field.directive("connection") != nil { return }
            report(
                field.type.name.offset,
                "\(path): \(field.type.name.text) is a model, so the field needs a relation",
                hint: field.type.isList ? "add @hasMany" : "add @belongsTo or @hasOne")
            return
        }
        if directives.count > 1 {
            report(
                directives[1].name.offset, "\(path) has two relations", hint: "remove one")
        }
        let isToMany = kind == .hasMany || kind == .manyToMany
        if isToMany != field.type.isList {
            report(
                directive.name.offset,
                "\(path): @\(kind.rawValue) needs \(isToMany ? "a list" : "a single record")",
                hint: isToMany
                    ? "write [\(field.type.name.text)]" : "write \(field.type.name.text)")
            return
        }
        for misplaced in field.directives where !isRelation(misplaced) {
            guard SchemaBuilder.isForValues(misplaced) else { continue }
            report(
                misplaced.name.offset,
                "\(path) is a relation: @\(misplaced.name.text) has no meaning on it",
                hint: "put it on the foreign key")
        }
        drafts[index].relations.append(
            RelationDraft(field: field, kind: kind, directive: directive, target: target))
    }

    mutating func resolveRelations() {
        for index in drafts.indices {
            for position in drafts[index].relations.indices {
                switch drafts[index].relations[position].kind {
                case .hasMany: resolveHasMany(index, position)
                case .hasOne: resolveHasOne(index, position)
                case .belongsTo, .manyToMany: break
                }
            }
        }
        for index in drafts.indices {
            for position in drafts[index].relations.indices
            where drafts[index].relations[position].kind == .belongsTo {
                resolveBelongsTo(index, position)
            }
        }
        let joins = resolveManyToMany()
        for index in drafts.indices {
            drafts[index].model.relations = drafts[index].relations.compactMap(\.resolved)
        }
        drafts += joins
    }

    // MARK: One kind each

    private mutating func resolveHasMany(_ index: Int, _ position: Int) {
        let draft = drafts[index].relations[position]
        let key = drafts[index].model.key
        guard let own = declared("fields", draft, in: index, orElse: key) else { return }
        var references: [String]
        if draft.directive.argument("references") != nil {
            guard let names = declared("references", draft, in: draft.target, orElse: []) else {
                return
            }
            references = names
        } else if draft.directive.argument("indexName") != nil {
            guard let name = text("indexName", of: draft.directive) else { return }
            let other = drafts[draft.target].model
            guard let index = other.indexes.first(where: { $0.name == name }) else {
                let meant = didYouMean(name, among: other.indexes.map(\.name))
                report(
                    draft.directive.argument("indexName")?.offset ?? draft.directive.name.offset,
                    "\(other.name) has no index \(name)",
                    hint: meant.map { "did you mean \($0)?" }
                        ?? "put @index(name: \"\(name)\") on its foreign key")
                return
            }
            references = Array(index.fields.prefix(own.count))
        } else if draft.directive.argument("fields") != nil {
            references = Array(drafts[draft.target].model.key.prefix(own.count))
        } else if let names = soleForeignKey(of: draft.target, to: index, draft) {
            references = names
        } else {
            references = foreignKey(
                on: draft.target, [drafts[index].model.name, draft.field.name.text], to: index,
                isRequired: false)
        }
        guard fits(draft, index, own, draft.target, references) else { return }
        drafts[index].relations[position].resolved = Relation(
            name: draft.field.name.text, kind: .hasMany, model: drafts[draft.target].model.name,
            fields: own, references: references)
    }

    private mutating func resolveHasOne(_ index: Int, _ position: Int) {
        let draft = drafts[index].relations[position]
        let key = drafts[index].model.key
        let otherKey = drafts[draft.target].model.key
        let own: [String]
        let references: [String]
        var isHere = true
        if draft.directive.argument("references") != nil {
            guard let names = declared("references", draft, in: draft.target, orElse: []),
                let fields = declared("fields", draft, in: index, orElse: key)
            else { return }
            (own, references, isHere) = (fields, names, false)
        } else if draft.directive.argument("fields") != nil {
            guard let names = declared("fields", draft, in: index, orElse: []) else { return }
            (own, references) = (names, Array(otherKey.prefix(names.count)))
            isHere = names != key
        } else {
            own = foreignKey(
                on: index, [drafts[index].model.name, draft.field.name.text], to: draft.target,
                isRequired: draft.field.type.isRequired)
            references = otherKey
        }
        guard fits(draft, index, own, draft.target, references) else { return }
        drafts[index].relations[position].resolved = Relation(
            name: draft.field.name.text, kind: .hasOne, model: drafts[draft.target].model.name,
            fields: own, references: references, isRequired: draft.field.type.isRequired,
            holdsForeignKey: isHere)
    }

    private mutating func resolveBelongsTo(_ index: Int, _ position: Int) {
        let draft = drafts[index].relations[position]
        let isRequired = draft.field.type.isRequired
        let own: [String]
        var references = drafts[draft.target].model.key
        // Here "fields" (first generation) and "references" (second) both name our own fields.
        let argument = draft.directive.argument("fields") == nil ? "references" : "fields"
        if draft.directive.argument(argument) != nil {
            guard let names = declared(argument, draft, in: index, orElse: []) else { return }
            own = names
        } else {
            let back = drafts[draft.target].relations.filter {
                $0.target == index && ($0.kind == .hasMany || $0.kind == .hasOne)
            }
            if back.count > 1 {
                report(
                    draft.directive.name.offset,
                    "\(drafts[index].model.name).\(draft.field.name.text): it is not clear which of "
                        + "\(back.map(\.field.name.text).joined(separator: " and ")) of "
                        + "\(drafts[draft.target].model.name) is its other side",
                    hint: "declare the foreign keys and name them: @belongsTo(fields: [\"...\"])")
                return
            }
            if let other = back.first?.resolved, !other.holdsForeignKey {
                own = other.references
                references = other.fields
                if isRequired, drafts[index].object.fields.allSatisfy({ $0.name.text != own[0] }) {
                    for name in own {
                        if let position = drafts[index].model.fieldIndex(name) {
                            drafts[index].model.fields[position].isRequired = true
                        }
                    }
                }
            } else {
                own = foreignKey(
                    on: index, [drafts[index].model.name, draft.field.name.text],
                    to: draft.target, isRequired: isRequired)
            }
        }
        guard fits(draft, index, own, draft.target, references) else { return }
        drafts[index].relations[position].resolved = Relation(
            name: draft.field.name.text, kind: .belongsTo, model: drafts[draft.target].model.name,
            fields: own, references: references, isRequired: isRequired)
    }

    // MARK: Foreign keys

    /// The fields an argument names, all of them known; `orElse` when it is absent, nil when wrong.
    private mutating func declared(
        _ argument: String, _ draft: RelationDraft, in index: Int, orElse absent: [String]
    ) -> [String]? {
        guard let value = draft.directive.argument(argument) else { return absent }
        guard let names = names(argument, of: draft.directive) else { return nil }
        let model = drafts[index].model
        for name in names where model.field(name) == nil {
            report(
                value.offset, "\(model.name) has no field \(name) to hold a key",
                hint: didYouMean(name, among: model.fields.map(\.name)).map {
                    "did you mean \($0)?"
                }
                    ?? "declare it: \(name): ID")
            return nil
        }
        return names
    }

    /// What the only `@belongsTo(fields: ...)` on the other side says, if there is one.
    ///
    /// Amplify would make a second foreign key here, one that nothing ever fills.
    private mutating func soleForeignKey(of target: Int, to index: Int, _ draft: RelationDraft)
        -> [String]?
    {
        let back = drafts[target].relations.filter { $0.target == index && $0.kind == .belongsTo }
        let forth = drafts[index].relations.filter { $0.target == target && $0.kind == .hasMany }
        guard back.count == 1, forth.count == 1 else { return nil }
        let argument = back[0].directive.argument("fields") == nil ? "references" : "fields"
        guard back[0].directive.argument(argument) != nil else { return nil }
        guard case .list(let values)? = back[0].directive.argument(argument)?.kind else {
            return nil
        }
        var names: [String] = []
        for value in values {
            guard case .string(let name) = value.kind, drafts[target].model.field(name) != nil
            else { return nil }
            names.append(name)
        }
        return names
    }

    /// Fields such as `postCommentsId`, one for each key field of the other model; those the
    /// schema does not declare are added.
    private mutating func foreignKey(
        on holder: Int, _ prefix: [String], to target: Int, isRequired: Bool
    ) -> [String] {
        let other = drafts[target].model
        var names: [String] = []
        for key in other.key {
            let name = lowerFirst(prefix[0]) + upperFirst(prefix[1]) + upperFirst(key)
            names.append(name)
            guard drafts[holder].model.field(name) == nil else { continue }
            if let twin = drafts[holder].object.fields.first(where: {
                $0.name.text.lowercased() == name.lowercased()
            }) {
                report(
                    twin.name.offset,
                    "\(drafts[holder].model.name).\(twin.name.text) stands in the way of the foreign "
                        + "key \(name)",
                    hint: "rename it")
                continue
            }
            let type = other.field(key)?.type ?? .scalar(.id)
            drafts[holder].model.fields.append(Field(name, type, isRequired: isRequired))
        }
        return names
    }

    /// True when both sides have as many fields, of like types.
    private mutating func fits(
        _ draft: RelationDraft, _ index: Int, _ own: [String], _ target: Int, _ theirs: [String]
    ) -> Bool {
        let (model, other) = (drafts[index].model, drafts[target].model)
        var path: String { "\(model.name).\(draft.field.name.text)" }
        guard own.count == theirs.count, !own.isEmpty else {
            report(
                draft.directive.name.offset,
                "\(path): \(own.count) fields of \(model.name) cannot equal \(theirs.count) of "
                    + other.name,
                hint: "name as many fields as the key has: \(other.key.joined(separator: ", "))")
            return false
        }
        for (left, right) in zip(own, theirs) {
            guard let mine = model.field(left), let its = other.field(right) else { return false }
            if mine.isLikeKey(its) { continue }
            report(
                draft.directive.name.offset,
                "\(path): \(model.name).\(left) is \(mine.typeText) but \(other.name).\(right) is "
                    + its.typeText,
                hint: "give both the same type")
            return false
        }
        return true
    }
}

extension Field {
    /// True when the values of both can be equal keys.
    func isLikeKey(_ other: Field) -> Bool {
        if isList || other.isList { return false }
        let texts: [FieldType] = [.scalar(.id), .scalar(.string)]
        return type == other.type || (texts.contains(type) && texts.contains(other.type))
    }
}
