internal import JSON

/// What becomes of one model when the schema changes.
package struct ModelChange: Sendable {
    package struct Rename: Sendable, Equatable {
        package var from: String
        package var to: String
    }

    package let old: Model
    /// Nil when the model left the schema.
    package let new: Model?
    /// Fields that the new schema says were called otherwise.
    package private(set) var renames: [Rename] = []
    /// Fields that are no longer there, under their old names.
    package private(set) var removed: [String] = []
    /// Fields that are new, and no renamed ones.
    package private(set) var added: [Field] = []
    /// Present names of fields whose values may not fit any more.
    package private(set) var judged: [String] = []
    /// Present names of fields whose values may have to be written in another way.
    package private(set) var converted: [String] = []
    /// Fields that every record needs now and did not before.
    package private(set) var demanded: [Field] = []
    /// True when records have other ids than before.
    package private(set) var isRekeyed = false
    /// True when records refer to others in another way than before.
    package private(set) var isRelated = false

    /// `knowsTypes` is false where of the old fields only the names are known.
    init(
        from old: Model, in oldSchema: Schema, to new: Model?, in newSchema: Schema,
        knowsTypes: Bool
    ) {
        self.old = old
        self.new = new
        guard let new else { return }
        for field in new.fields {
            if let name = field.renamedFrom, new.field(name) == nil,
                old.field(field.name)?.renamedFrom != name
            {
                renames.append(Rename(from: name, to: field.name))
            }
        }
        removed = old.fields.map(\.name).filter { name in
            new.field(name) == nil && !renames.contains { $0.from == name }
        }
        for field in new.fields {
            guard let before = old.field(formerName(of: field.name)) ?? old.field(field.name)
            else {
                added.append(field)
                if field.isDemanding { demanded.append(field) }
                continue
            }
            if field.isDemanding, knowsTypes, !before.isRequired { demanded.append(field) }
            let isAlike =
                before.isAlike(field) && !before.hasOtherValues(oldSchema, field, newSchema)
            // Under a name that left before it lies beside the record, in a type of then.
            let isLate = formerName(of: field.name) != before.name
            if !isAlike || !knowsTypes || isLate { judged.append(field.name) }
            if isLate || before.type != field.type || before.isList != field.isList || !knowsTypes {
                converted.append(field.name)
            }
        }
        isRekeyed = knowsTypes && old.key.map(presentName) != new.key
        isRelated = !knowsTypes || old.links(in: oldSchema) != new.links(in: newSchema)
    }

    /// What the field `name` of the old schema is called now.
    package func presentName(of name: String) -> String {
        renames.first { $0.from == name }?.to ?? name
    }

    private func formerName(of name: String) -> String {
        renames.first { $0.to == name }?.from ?? name
    }

    /// True when records, as they are kept, are written in another way from now on.
    package var altersRecords: Bool {
        !renames.isEmpty || !converted.isEmpty || !removed.isEmpty
    }

    /// True when queued mutations may be concerned.
    package var concernsMutations: Bool {
        new == nil || altersRecords || !judged.isEmpty || !demanded.isEmpty || isRekeyed
            || isRelated || new?.name != old.name
    }

    /// The new field that a removed one may have become.
    package func successor(of name: String) -> Field? {
        let candidates = added.filter { $0.renamedFrom == nil }
        let alike = candidates.filter { field in
            old.field(name).map { $0.type == field.type && $0.isList == field.isList } ?? false
        }
        if alike.count == 1 { return alike[0] }
        if candidates.count == 1 { return candidates[0] }
        return didYouMean(name, among: candidates.map(\.name)).flatMap { meant in
            candidates.first { $0.name == meant }
        }
    }
}

extension Model {
    /// Which fields of its records name records of which models, whichever side declares it.
    fileprivate func links(in schema: Schema) -> Set<[String]> {
        var links = Set(relations.filter(\.holdsForeignKey).map { [$0.model] + $0.fields })
        for other in schema.models {
            for relation in other.relations where !relation.holdsForeignKey {
                guard (relation.join ?? relation.model).sameBytes(as: name) else { continue }
                links.insert([other.name] + relation.references)
            }
        }
        return links
    }
}

extension Field {
    /// True where a record without a value for it cannot be made.
    fileprivate var isDemanding: Bool { isRequired && !isReadOnly }

    fileprivate func isAlike(_ other: Field) -> Bool {
        type == other.type && isList == other.isList && isRequired == other.isRequired
            && hasRequiredElements == other.hasRequiredElements
    }

    /// True when the enum or nested type of both, of one name, is another one.
    fileprivate func hasOtherValues(
        _ schema: Schema, _ other: Field, _ otherSchema: Schema
    ) -> Bool {
        switch type {
        case .scalar: false
        case .enumeration(let name): schema.enumType(name) != otherSchema.enumType(name)
        // Nested types may hold others: all of them are compared.
        case .nested: schema.types != otherSchema.types || schema.enums != otherSchema.enums
        }
    }
}
