internal import JSON
import Records

/// What a store remembers of the schemas its data was kept under, to tell what a new one changes.
///
/// It is kept in `meta` beside the layout:
/// `{"hash":"...","schema":{...},"kept":[{...}],"gone":{"Post":["stars"]},"secret":{}}`, schemas as
/// protocol 1 writes them.
struct SchemaMemory {
    /// The schema of the model tables.
    var schema = Schema()
    /// One a model that left the schema while work on it was unsent.
    var kept: [Schema] = []
    /// Fields that left, by model.
    var gone: [String: [String]] = [:]
    /// Fields that were secret at any time, by model: values of them may be queued still.
    var secret: [String: [String]] = [:]

    /// Every model the store has a table for, as far as it is remembered.
    func known(_ layouts: [ModelLayout]) -> [SchemaChange.Known] {
        layouts.map { layout in
            if let model = schema.model(layout.model) {
                return SchemaChange.Known(model, in: schema)
            }
            for schema in kept {
                if let model = schema.model(layout.model) {
                    return SchemaChange.Known(model, in: schema)
                }
            }
            return SchemaChange.Known(layout.remembered, in: Schema(), knowsTypes: false)
        }
    }
}

extension SchemaMemory {
    func json(hash: String) -> JSONValue {
        .object(
            JSONObject([
                ("hash", .string(hash)), ("schema", schema.protocolJSON),
                ("kept", .array(kept.map(\.protocolJSON))),
                ("gone", Self.json(gone)), ("secret", Self.json(secret)),
            ]))
    }

    private static func json(_ fields: [String: [String]]) -> JSONValue {
        .object(
            JSONObject(
                fields.sorted { $0.key < $1.key }.map {
                    ($0.key, .array($0.value.map(JSONValue.string)))
                }))
    }

    private static func fields(_ json: JSONValue?) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for (model, names) in json?.members?.pairs ?? [] {
            fields[model] = names.elements?.compactMap(\.text) ?? []
        }
        return fields
    }

    /// What was secret under the schemas so far, by the present names.
    func secrets(after change: SchemaChange) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for change in change.models {
            let names =
                (secret[change.old.name] ?? [])
                + change.old.fields.filter(\.isSecret).map(\.name)
            let model = change.new?.name ?? change.old.name
            for name in names.map(change.presentName) where !(found[model] ?? []).contains(name) {
                found[model, default: []].append(name)
            }
        }
        return found
    }

    /// Nil for what is of another schema than `hash`: an older Satchel changed the tables since,
    /// and the layout alone says what they are.
    init?(json: JSONValue, hash: String) {
        guard json["hash"]?.text?.sameBytes(as: hash) ?? false, let schema = json["schema"] else {
            return nil
        }
        do throws(RecordsError) {
            self.schema = try Schema(protocolJSON: schema)
            for kept in json["kept"]?.elements ?? [] {
                self.kept.append(try Schema(protocolJSON: kept))
            }
        } catch {
            return nil
        }
        gone = Self.fields(json["gone"])
        secret = Self.fields(json["secret"])
    }
}

extension Schema {
    /// One model with what its fields stand on; of relations nothing is kept.
    func alone(_ model: Model) -> Schema {
        var model = model
        model.relations = []
        return Schema(models: [model], enums: enums, types: types)
    }
}

extension ModelLayout {
    /// The model as its columns tell of it.
    fileprivate var remembered: Model {
        Model(
            name: model,
            fields: columns.map { column in
                let type: Scalar =
                    switch column.encoding {
                    case .text: .string
                    case .number: .float
                    case .boolean: .boolean
                    case .json: .json
                    }
                return Field(column.field, .scalar(type))
            }, key: [columns.first(where: \.isID)?.field ?? "id"])
    }
}
