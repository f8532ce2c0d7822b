package import JSON

/// What a plugin can do; what it cannot, the host does itself or does without.
package struct PluginCapabilities: Sendable {
    /// How pushes are taken; nil for a plugin that only reads.
    package var push: Push?
    package var pull: Pull
    /// `event` notifications follow a `subscribe`.
    package var sendsEvents: Bool
    /// `ping` is answered by the backend itself.
    package var answersPing: Bool
    /// `fetch` shows single records.
    package var answersFetch: Bool

    package struct Push: Sendable {
        package enum Idempotency: String, Sendable {
            /// One key twice has one effect.
            case key
            /// Writes are conditional on a version.
            case conditional
            case none
        }
        package var idempotency: Idempotency
        /// Operations a push may hold.
        package var batch: Int
        /// Bytes a push may hold; nil for no bound but the protocol's.
        package var bytes: Int?
        /// A group is taken whole or not at all.
        package var isAtomic: Bool
        /// Some operations of a push may succeed while others fail.
        package var isPartial: Bool
        package var assignsIDs: Bool

        package init(
            idempotency: Idempotency = .none, batch: Int = 1, bytes: Int? = nil,
            isAtomic: Bool = false, isPartial: Bool = true, assignsIDs: Bool = false
        ) {
            self.idempotency = idempotency
            self.batch = batch
            self.bytes = bytes
            self.isAtomic = isAtomic
            self.isPartial = isPartial
            self.assignsIDs = assignsIDs
        }
    }

    package struct Pull: Sendable {
        /// A cursor asks for what changed since.
        package var hasDelta: Bool
        /// A delta names deleted records.
        package var hasTombstones: Bool
        /// A pull without a cursor gives the records as they are now.
        package var hasSnapshot: Bool
        /// Records a page may hold.
        package var page: Int
        /// Operators a filter may use; empty when the plugin does not filter.
        package var filterOperators: [String]

        package init(
            hasDelta: Bool = false, hasTombstones: Bool = false, hasSnapshot: Bool = true,
            page: Int = 1000, filterOperators: [String] = []
        ) {
            self.hasDelta = hasDelta
            self.hasTombstones = hasTombstones
            self.hasSnapshot = hasSnapshot
            self.page = page
            self.filterOperators = filterOperators
        }
    }

    package init(
        push: Push? = nil, pull: Pull = Pull(), sendsEvents: Bool = false,
        answersPing: Bool = false, answersFetch: Bool = true
    ) {
        self.push = push
        self.pull = pull
        self.sendsEvents = sendsEvents
        self.answersPing = answersPing
        self.answersFetch = answersFetch
    }
}

extension PluginCapabilities {
    /// The `capabilities` member of the answer to `initialize`.
    package var json: JSONValue {
        var object = JSONObject()
        if let push { object.append("push", push.json) }
        object.append("pull", pull.json)
        object.append("events", .bool(sendsEvents))
        object.append("ping", .bool(answersPing))
        if !answersFetch { object.append("fetch", false) }
        return .object(object)
    }
}

extension PluginCapabilities.Push {
    fileprivate var json: JSONValue {
        var object = JSONObject([
            ("idempotency", .string(idempotency.rawValue)), ("batch", .int(Int64(batch))),
        ])
        if let bytes { object.append("bytes", .int(Int64(bytes))) }
        object.append("atomic", .bool(isAtomic))
        object.append("partial", .bool(isPartial))
        object.append("assigns_ids", .bool(assignsIDs))
        return .object(object)
    }
}

extension PluginCapabilities.Pull {
    fileprivate var json: JSONValue {
        [
            "delta": .bool(hasDelta), "tombstones": .bool(hasTombstones),
            "snapshot": .bool(hasSnapshot), "page": .int(Int64(page)),
            "filter": .array(filterOperators.map { .string($0) }),
        ]
    }
}
