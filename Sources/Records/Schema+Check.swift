extension Schema {
    /// Checks what a schema that came as data refers to: keys, types, relations, names.
    ///
    /// - Throws: Kind `.schema`, naming the model and the field.
    func checkReferences() throws(RecordsError) {
        try checkNames(models.map(\.name) + enums.map(\.name) + types.map(\.name), of: "the schema")
        for model in models {
            try checkNames(
                model.fields.map(\.name) + model.relations.map(\.name), of: "model \(model.name)")
            try check(model.fields, of: model.name)
            if model.key.isEmpty { throw wrong("model \(model.name) has no key") }
            for name in model.key {
                guard let field = model.field(name) else {
                    throw wrong("the key \(name) of model \(model.name) is no field of it")
                }
                guard field.canBeKey else {
                    throw wrong("\(model.name).\(name) cannot be a key: it is \(field.typeText)")
                }
            }
            for index in model.indexes {
                for name in index.fields where model.field(name) == nil {
                    throw wrong("index \(index.name) of model \(model.name): no field \(name)")
                }
            }
            for relation in model.relations { try check(relation, of: model) }
        }
        for type in types {
            try checkNames(type.fields.map(\.name), of: "type \(type.name)")
            try check(type.fields, of: type.name)
        }
    }

    private func check(_ fields: [Field], of owner: String) throws(RecordsError) {
        for field in fields {
            switch field.type {
            case .scalar: continue
            case .enumeration(let name):
                if enumType(name) == nil {
                    throw wrong("\(owner).\(field.name): unknown type \(name)")
                }
            case .nested(let name):
                if nestedType(name) == nil {
                    throw wrong("\(owner).\(field.name): unknown type \(name)")
                }
            }
        }
    }

    private func check(_ relation: Relation, of model: Model) throws(RecordsError) {
        let path = "\(model.name).\(relation.name)"
        guard let other = self.model(relation.model) else {
            throw wrong("\(path): unknown model \(relation.model)")
        }
        for name in relation.fields where model.field(name) == nil {
            throw wrong("\(path): \(model.name) has no field \(name)")
        }
        var holder = other
        if relation.kind == .manyToMany {
            guard let join = relation.join.flatMap(self.model) else {
                throw wrong("\(path): a many-to-many relation needs a join model")
            }
            holder = join
            for name in relation.joinFields where join.field(name) == nil {
                throw wrong("\(path): \(join.name) has no field \(name)")
            }
            if relation.joinFields.count != other.key.count {
                throw wrong("\(path): join_fields and the key of \(other.name) differ in number")
            }
        }
        for name in relation.references where holder.field(name) == nil {
            throw wrong("\(path): \(holder.name) has no field \(name)")
        }
        if relation.fields.count != relation.references.count || relation.fields.isEmpty {
            throw wrong("\(path): fields and references differ in number")
        }
    }

    private func checkNames(_ names: [String], of owner: String) throws(RecordsError) {
        var seen: Set<String> = []
        for name in names {
            guard let first = name.utf8.first, isNameStart(first), name.utf8.allSatisfy(isNamePart)
            else { throw wrong("\(owner): \(quoted(name)) is no name") }
            if first == UInt8(ascii: "_") {
                throw wrong("\(owner): \(name): names that begin with \"_\" are reserved")
            }
            if !seen.insert(name.lowercased()).inserted {
                throw wrong("\(owner): the name \(name) is there twice, but for letter case")
            }
        }
    }

    private func wrong(_ message: String) -> RecordsError { RecordsError(.schema, message) }
}
