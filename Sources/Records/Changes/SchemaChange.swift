package import JSON

/// What lies between the schema that data was kept under and the one it is kept under from now on.
///
/// A pure value: it says what becomes of names, values and queued mutations, and touches nothing.
package struct SchemaChange: Sendable {
    package let new: Schema
    /// One a model of the old schema.
    package let models: [ModelChange]
    /// Fields that earlier schemas had and this one has not, by the model's present name.
    package let gone: [String: [String]]

    /// A model as it was known: with the schema its types stand in.
    package struct Known: Sendable {
        package var model: Model
        package var schema: Schema
        /// False where of the fields only the names are known.
        package var knowsTypes: Bool

        package init(_ model: Model, in schema: Schema, knowsTypes: Bool = true) {
            self.model = model
            self.schema = schema
            self.knowsTypes = knowsTypes
        }
    }

    package init(from old: Schema, to new: Schema) {
        self.init(from: old.models.map { Known($0, in: old) }, to: new)
    }

    /// `gone` holds what left in earlier changes, by the old schema's names of models.
    package init(from known: [Known], to new: Schema, gone: [String: [String]] = [:]) {
        self.new = new
        // A directive that was there before has done its work.
        let wasRenamed = { (model: Model) in
            known.contains {
                $0.model.name == model.name && $0.model.renamedFrom == model.renamedFrom
            }
        }
        models = known.map { known in
            let name = known.model.name
            let successor =
                new.model(name)
                ?? new.models.first { model in
                    model.renamedFrom == name && !wasRenamed(model)
                }
            return ModelChange(
                from: known.model, in: known.schema, to: successor, in: new,
                knowsTypes: known.knowsTypes)
        }
        var left: [String: [String]] = [:]
        for change in models {
            let present = change.new?.name ?? change.old.name
            var fields = gone[change.old.name] ?? []
            fields += change.new == nil ? [] : change.removed
            fields.removeAll { name in
                change.new?.field(name) != nil || change.renames.contains { $0.from == name }
            }
            for field in fields where !(left[present] ?? []).contains(field) {
                left[present, default: []].append(field)
            }
        }
        self.gone = left
    }

    /// The change of the model that is called `name` now, or was when it left the schema.
    package func model(_ name: String) -> ModelChange? {
        models.first { ($0.new?.name ?? $0.old.name).sameBytes(as: name) && $0.old.name == name }
            ?? models.first { ($0.new?.name ?? $0.old.name).sameBytes(as: name) }
    }
}

// Records
extension ModelChange {
    /// A whole record under its present names, values written in the present way where that is
    /// exact; what is no field any more stays, under its old name.
    package func carried(record: JSONObject, in schema: Schema) -> JSONObject {
        var record = record
        for name in removed where record[name]?.isNull ?? false { record[name] = nil }
        return carried(values: record, in: schema)
    }

    /// As `carried(record:in:)`, for some of a record's fields.
    package func carried(values: JSONObject, in schema: Schema) -> JSONObject {
        guard let new, altersRecords else { return values }
        var members = values.pairs
        for rename in renames {
            guard let place = members.firstIndex(where: { $0.key.sameBytes(as: rename.from) })
            else { continue }
            guard let other = members.firstIndex(where: { $0.key.sameBytes(as: rename.to) })
            else {
                members[place].key = rename.to
                continue
            }
            // Somebody knew the new name before: what is there is the newer.
            if members[other].value.isNull { members[other].value = members[place].value }
            if members[other].value == members[place].value || members[place].value.isNull {
                members.remove(at: place)
            }
        }
        for name in converted {
            guard let place = members.firstIndex(where: { $0.key.sameBytes(as: name) }),
                let value = new.field(name)?.converted(members[place].value, in: schema)
            else { continue }
            members[place].value = value
        }
        return JSONObject(unchecked: members)
    }
}
