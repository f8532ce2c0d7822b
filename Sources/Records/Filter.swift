package import JSON

/// A condition on the records of a model: what `where` says and what backends are told.
package indirect enum Filter: Sendable, Equatable {
    case and([Filter])
    case or([Filter])
    case not(Filter)
    case test(Path, Test)

    /// Steps across relations, then the field: `author.name` is `["author"], "name"`.
    package struct Path: Sendable, Equatable {
        package var relations: [String]
        /// A field of the last model, `count` after a to-many relation, `_state` or `_version`.
        package var field: String

        package init(_ relations: [String] = [], _ field: String) {
            self.relations = relations
            self.field = field
        }
    }

    /// What is asked of one value; operands are already coerced to the field's type.
    package enum Test: Sendable, Equatable {
        case equal(JSONValue)
        case notEqual(JSONValue)
        case less(JSONValue)
        case lessOrEqual(JSONValue)
        case greater(JSONValue)
        case greaterOrEqual(JSONValue)
        /// A case-insensitive substring.
        case contains(String)
        case notContains(String)
        case among([JSONValue])
        /// Both ends included.
        case between(JSONValue, JSONValue)
        case startsWith(String)
        case isNull
        case isNotNull
        /// A list that holds the value.
        case has(JSONValue)
    }
}

/// One key of a `sort` clause.
package struct SortKey: Sendable, Equatable {
    package var path: Filter.Path
    package var descending: Bool

    package init(_ path: Filter.Path, descending: Bool = false) {
        self.path = path
        self.descending = descending
    }
}

/// What a list command asks of the store.
package struct Query: Sendable, Equatable {
    package var model: String
    package var filter: Filter?
    /// Ties, and everything when empty, are in id order.
    package var sort: [SortKey]
    package var limit: Int?
    package var offset: Int

    package init(
        model: String, filter: Filter? = nil, sort: [SortKey] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.model = model
        self.filter = filter
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }
}
