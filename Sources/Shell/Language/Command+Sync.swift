package enum SyncRequest: Sendable, Equatable {
    case run(Run)
    case pause
    case resume

    package struct Run: Sendable, Equatable {
        package var pushes = true
        package var pulls = true
        /// All models when empty.
        package var models: [String] = []
        /// Pulls everything anew.
        package var isFull = false
        package var acceptsDeletions = false
        package var acceptsRemote = false

        package init() {}
    }
}

/// Which entries of a list a command is about.
package enum Selection: Sendable, Equatable {
    case all
    case numbers([Int64])
}

package enum QueueRequest: Sendable, Equatable {
    case list
    case show(Int64)
    case retry(Selection, delivers: Bool)
    case drop(Selection)
    case edit(Int64, Values, delivers: Bool)

    var mayDestroy: Bool { if case .drop = self { true } else { false } }
}

package enum ConflictsRequest: Sendable, Equatable {
    case list
    /// An id, or items that name the fields of a composite key.
    case show(model: String, keys: [String])
    case resolve(Resolve)

    package struct Resolve: Sendable, Equatable {
        package enum Choice: Sendable, Equatable {
            case local, remote
            /// Values that the record shall have in the fields at odds.
            case values(Values)
        }

        package var model: String
        /// Empty when the choice's items begin with those of a composite key.
        package var keys: [String]
        package var choice: Choice
        package var delivers = false

        package init(model: String, keys: [String], choice: Choice) {
            self.model = model
            self.keys = keys
            self.choice = choice
        }
    }
}

package enum QuarantineRequest: Sendable, Equatable {
    case list
    case show(Int64)
    case retry(Selection)
    case drop([Int64])

    var mayDestroy: Bool { if case .drop = self { true } else { false } }
}

package struct WatchRequest: Sendable, Equatable {
    /// All models when nil.
    package var model: String?
    package var filter: String?
    package var sort: [SortWord] = []
    package var limit: Int?
    /// Continues after this token instead of beginning with a snapshot.
    package var since: String?
    package var syncs = false

    package init(model: String? = nil) { self.model = model }
}

package struct LogRequest: Sendable, Equatable {
    package var model: String?
    /// An id, or items that name the fields of a composite key; empty for all records.
    package var keys: [String] = []
    package var limit: Int?
    package var since: String?

    package init(model: String? = nil) { self.model = model }
}

package enum SchemaRequest: Sendable, Equatable {
    /// All models when nil.
    case show(model: String?)
    case check(InputSource)
    case pull
    case graph(GraphFormat)
}

package enum GraphFormat: String, Sendable, Equatable, CaseIterable {
    case mermaid, dot, svg
}
