/// `list`: a filter, an order, a window, columns.
package struct ListRequest: Sendable, Equatable {
    package var model: String
    /// The filter's text.
    package var filter: String?
    package var sort: [SortWord] = []
    package var limit: Int?
    package var offset = 0
    /// All fields when nil.
    package var fields: [String]?
    /// Paths across relations, such as `comments.author`.
    package var include: [String] = []

    package init(model: String, filter: String? = nil) {
        self.model = model
        self.filter = filter
    }
}

/// One key of a `sort` clause, as typed.
package struct SortWord: Sendable, Equatable {
    package var path: String
    package var descending: Bool

    package init(_ path: String, descending: Bool = false) {
        self.path = path
        self.descending = descending
    }
}

package struct GetRequest: Sendable, Equatable {
    package var model: String
    /// Ids, or items that name the fields of one composite key.
    package var keys: [String]
    package var fields: [String]?
    package var include: [String] = []
    /// Asks the backend first.
    package var asksBackend = false

    package init(model: String, keys: [String]) {
        self.model = model
        self.keys = keys
    }
}

package struct CountRequest: Sendable, Equatable {
    package var model: String
    package var filter: String?

    package init(model: String, filter: String? = nil) {
        self.model = model
        self.filter = filter
    }
}

/// The values a write sets.
package struct Values: Sendable, Equatable {
    /// Words such as `title=x`, as typed.
    package var items: [String] = []
    /// Fields to set to null.
    package var unset: [String] = []
    package var data: DataSource?

    package init(items: [String] = [], unset: [String] = [], data: DataSource? = nil) {
        self.items = items
        self.unset = unset
        self.data = data
    }

    package var isEmpty: Bool { items.isEmpty && unset.isEmpty && data == nil }
}

/// Where `--data` finds its JSON.
package enum DataSource: Sendable, Equatable {
    case text(String)
    case input(InputSource)

    /// `@-` is standard input, `@NAME` a file, anything else the JSON itself.
    package init(_ word: String) {
        guard word.utf8.first == UInt8(ascii: "@") else {
            self = .text(word)
            return
        }
        self = .input(InputSource(String(word.dropFirst())))
    }
}

package struct CreateRequest: Sendable, Equatable {
    package var model: String
    package var values: Values
    package var delivers = false

    package init(model: String, values: Values) {
        self.model = model
        self.values = values
    }
}

/// Which records a write is about.
package enum Target: Sendable, Equatable {
    /// Ids, or items that name the fields of one composite key; never empty.
    case keys([String])
    case filter(String)
}

package struct UpdateRequest: Sendable, Equatable {
    package var model: String
    /// Nil when only items were given: then they begin with those of a composite key.
    package var target: Target?
    package var values: Values
    package var delivers = false

    package init(model: String, target: Target?, values: Values) {
        self.model = model
        self.target = target
        self.values = values
    }

    var isByFilter: Bool { if case .filter = target { true } else { false } }
}

package struct DeleteRequest: Sendable, Equatable {
    package var model: String
    package var target: Target
    package var cascades = true
    package var delivers = false

    package init(model: String, target: Target) {
        self.model = model
        self.target = target
    }
}

package struct ImportRequest: Sendable, Equatable {
    package enum Format: String, Sendable, Equatable, CaseIterable {
        case json, ndjson, csv, tsv
    }

    /// Nil for `--all`: the lines name their models.
    package var model: String?
    package var source: InputSource
    /// Nil: told by the file's name.
    package var format: Format?
    /// The field by which rows find the record they update.
    package var key: String?
    /// Columns that are named otherwise than their fields.
    package var map: [Pair] = []
    package var keepsGoing = false
    package var delivers = false

    package init(model: String?, source: InputSource) {
        self.model = model
        self.source = source
    }
}

/// A `KEY=VALUE` word, cut at its first `=`.
package struct Pair: Sendable, Equatable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

package struct UndoRequest: Sendable, Equatable {
    /// How many commands to take back.
    package var count = 1
    package var delivers = false

    package init(count: Int = 1) { self.count = count }
}
