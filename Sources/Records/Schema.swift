package import JSON

/// The models, enums and nested types of a workspace, in the order of its schema file.
package struct Schema: Sendable, Equatable {
    package var models: [Model]
    package var enums: [EnumType]
    package var types: [NestedType]
    /// What was accepted but has no effect here, such as `@auth`: `schema.graphql:3:9: …`.
    package var notes: [String]

    package init(
        models: [Model] = [], enums: [EnumType] = [], types: [NestedType] = [],
        notes: [String] = []
    ) {
        self.models = models
        self.enums = enums
        self.types = types
        self.notes = notes
    }

    package func model(_ name: String) -> Model? {
        models.first { $0.name.sameBytes(as: name) }
    }

    package func enumType(_ name: String) -> EnumType? {
        enums.first { $0.name.sameBytes(as: name) }
    }

    package func nestedType(_ name: String) -> NestedType? {
        types.first { $0.name.sameBytes(as: name) }
    }
}

/// A kind of record: its fields, its key and its relations.
package struct Model: Sendable, Equatable {
    package var name: String
    /// In schema order; foreign keys that the schema leaves implicit come last.
    package var fields: [Field]
    /// The names of the key fields, one or several.
    package var key: [String]
    package var relations: [Relation]
    package var indexes: [Index]
    /// The name it had in an earlier schema, where the schema says so.
    package var renamedFrom: String?

    package init(
        name: String, fields: [Field], key: [String] = ["id"], relations: [Relation] = [],
        indexes: [Index] = [], renamedFrom: String? = nil
    ) {
        self.name = name
        self.fields = fields
        self.key = key
        self.relations = relations
        self.indexes = indexes
        self.renamedFrom = renamedFrom
    }

    package func field(_ name: String) -> Field? {
        fields.first { $0.name.sameBytes(as: name) }
    }

    package func fieldIndex(_ name: String) -> Int? {
        fields.firstIndex { $0.name.sameBytes(as: name) }
    }

    package func relation(_ name: String) -> Relation? {
        relations.first { $0.name.sameBytes(as: name) }
    }

    package var hasCompositeKey: Bool { key.count > 1 }

    /// True when the client makes ids: a single key field of type ID or String.
    package var makesIDs: Bool {
        guard key.count == 1, let field = field(key[0]), !field.isList else { return false }
        return field.type == .scalar(.id)
    }
}

/// One field of a model or of a nested type.
package struct Field: Sendable, Equatable {
    package var name: String
    package var type: FieldType
    package var isList: Bool
    /// The field itself may not be null.
    package var isRequired: Bool
    /// The elements of a list may not be null.
    package var hasRequiredElements: Bool
    /// Owned by the backend (`createdAt`, `updatedAt` when the schema leaves them implicit).
    package var isReadOnly: Bool
    /// Kept out of history and shown masked.
    package var isSecret: Bool
    /// Filled in by the client on create.
    package var defaultValue: JSONValue?
    /// The name it had in an earlier schema, where the schema says so.
    package var renamedFrom: String?

    package init(
        _ name: String, _ type: FieldType, isList: Bool = false, isRequired: Bool = false,
        hasRequiredElements: Bool = false, isReadOnly: Bool = false, isSecret: Bool = false,
        defaultValue: JSONValue? = nil, renamedFrom: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isList = isList
        self.isRequired = isRequired
        self.hasRequiredElements = hasRequiredElements
        self.isReadOnly = isReadOnly
        self.isSecret = isSecret
        self.defaultValue = defaultValue
        self.renamedFrom = renamedFrom
    }
}

package enum FieldType: Sendable, Hashable {
    case scalar(Scalar)
    /// A value of the enum of this name; values the schema does not know are kept.
    case enumeration(String)
    /// An object of the nested type of this name.
    case nested(String)
}

/// The scalars of Amplify's GraphQL dialect.
package enum Scalar: String, Sendable, Hashable, CaseIterable {
    case id = "ID"
    case string = "String"
    case int = "Int"
    case float = "Float"
    case boolean = "Boolean"
    case date = "AWSDate"
    case time = "AWSTime"
    case dateTime = "AWSDateTime"
    case timestamp = "AWSTimestamp"
    case email = "AWSEmail"
    case json = "AWSJSON"
    case url = "AWSURL"
    case phone = "AWSPhone"
    case ipAddress = "AWSIPAddress"
}

package struct EnumType: Sendable, Equatable {
    package var name: String
    package var values: [String]

    package init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}

/// An object type without `@model`: a value inside a record.
package struct NestedType: Sendable, Equatable {
    package var name: String
    package var fields: [Field]

    package init(name: String, fields: [Field]) {
        self.name = name
        self.fields = fields
    }
}

package struct Relation: Sendable, Equatable {
    package enum Kind: String, Sendable, Equatable {
        /// This record holds the foreign key.
        case belongsTo
        /// The other record, at most one, holds the foreign key; or this one, as `fields` says.
        case hasOne
        /// The other records hold the foreign key.
        case hasMany
        /// A join model holds both foreign keys.
        case manyToMany
    }

    /// The name of the relation's field in the schema.
    package var name: String
    package var kind: Kind
    /// The other model.
    package var model: String
    /// Fields of this model that take part: the foreign key, or this model's key.
    package var fields: [String]
    /// The fields of the other model (of the join model, if there is one) that `fields` equal.
    package var references: [String]
    /// The join model of a many-to-many relation.
    package var join: String?
    /// In the join model, the fields that hold the other model's key.
    package var joinFields: [String]
    package var isRequired: Bool
    /// True when this model's record holds the other's key.
    package var holdsForeignKey: Bool

    package init(
        name: String, kind: Kind, model: String, fields: [String], references: [String],
        join: String? = nil, joinFields: [String] = [], isRequired: Bool = false,
        holdsForeignKey: Bool? = nil
    ) {
        self.name = name
        self.kind = kind
        self.model = model
        self.fields = fields
        self.references = references
        self.join = join
        self.joinFields = joinFields
        self.isRequired = isRequired
        self.holdsForeignKey = holdsForeignKey ?? (kind == .belongsTo)
    }
}

/// A secondary index the schema asks for.
package struct Index: Sendable, Equatable {
    package var name: String
    package var fields: [String]

    package init(name: String, fields: [String]) {
        self.name = name
        self.fields = fields
    }
}
