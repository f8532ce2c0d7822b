internal import JSON
package import Records

extension PluginSetup {
    /// The host's schema; members of a kind this build does not know are left out.
    package func schema() -> Schema {
        Schema(
            models: (description["models"]?.elements ?? []).compactMap { model in
                Model(plugin: model, types: typeNames)
            },
            enums: (description["enums"]?.members?.pairs ?? []).map { name, values in
                EnumType(name: name, values: (values.elements ?? []).compactMap(\.text))
            },
            types: (description["types"]?.members?.pairs ?? []).map { name, fields in
                NestedType(
                    name: name,
                    fields: (fields.elements ?? []).compactMap { field in
                        Field(plugin: field, types: typeNames)
                    })
            })
    }

    private var typeNames: Set<String> { Set(description["types"]?.members?.keys ?? []) }
}

extension Field {
    /// - Parameters:
    ///   - value: The field as the protocol describes it.
    ///   - types: The nested types: any other name that is no scalar is an enum's.
    fileprivate init?(plugin value: JSONValue, types: Set<String>) {
        guard let name = value["name"]?.text, let type = value["type"]?.text else { return nil }
        self.init(
            name,
            Scalar(rawValue: type).map { .scalar($0) }
                ?? (types.contains(type) ? .nested(type) : .enumeration(type)),
            isList: value["list"]?.boolean ?? false,
            isRequired: value["required"]?.boolean ?? false,
            isReadOnly: value["read_only"]?.boolean ?? false,
            isSecret: value["secret"]?.boolean ?? false, defaultValue: value["default"])
    }
}

extension Model {
    fileprivate init?(plugin value: JSONValue, types: Set<String>) {
        guard let name = value["name"]?.text else { return nil }
        self.init(
            name: name,
            fields: (value["fields"]?.elements ?? []).compactMap {
                Field(plugin: $0, types: types)
            },
            key: (value["key"]?.elements ?? []).compactMap(\.text),
            relations: (value["relations"]?.elements ?? []).compactMap(Relation.init(plugin:)))
    }
}

extension Relation {
    fileprivate init?(plugin value: JSONValue) {
        guard let name = value["name"]?.text, let model = value["model"]?.text,
            let kind = value["kind"]?.text.flatMap(Relation.Kind.init(rawValue:))
        else { return nil }
        self.init(
            name: name, kind: kind, model: model,
            fields: (value["fields"]?.elements ?? []).compactMap(\.text),
            references: (value["references"]?.elements ?? []).compactMap(\.text),
            join: value["join"]?.text)
    }
}
