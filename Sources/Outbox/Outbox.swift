package import JSON
package import Records
package import Storage

/// The pending-mutation queue of a store: every local write goes through it.
///
/// Each method runs inside a transaction of the store and leaves current equal to the fold of base
/// and the live mutations. Time and identifiers come in through `init`.
package struct Outbox {
    package let store: Store
    /// Milliseconds since 1970.
    let now: () -> Int64
    /// Makes idempotency keys: UUIDs.
    let makeKey: () -> String

    /// Of the store's schema.
    let foreignKeys: ForeignKeys

    package init(store: Store, now: @escaping () -> Int64, makeKey: @escaping () -> String) {
        self.store = store
        foreignKeys = ForeignKeys(store.schema)
        self.now = now
        self.makeKey = makeKey
    }
}

/// What became of a local write.
package enum WriteOutcome: Sendable, Equatable {
    case written
    /// Nothing differs from what is there; nothing was queued.
    case unchanged
    /// A record of that id is there already.
    case exists
    case notFound
}

/// The present of one record: what the backend has, what is queued on it, what is in view.
package struct RecordState: Sendable, Equatable {
    package var base: Base
    /// Live mutations, oldest first.
    package var live: [Mutation]
    package var current: JSONObject?
    package var version: JSONValue?

    package init(
        base: Base, live: [Mutation], current: JSONObject?, version: JSONValue?
    ) {
        self.base = base
        self.live = live
        self.current = current
        self.version = version
    }

    fileprivate var stored: StoredRecord? {
        current.map { StoredRecord(record: $0, version: version) }
    }
}

extension Outbox {
    /// Reads what is known of a record.
    ///
    /// A record without live mutations has no base row: its current state is the backend's. One
    /// whose first live mutation creates it has none either: the backend does not have it.
    package func state(of model: Model, _ id: RecordID) throws(StoreError) -> RecordState {
        let key = RecordKey(model.name, id)
        let live = try store.mutations(of: key).filter(\.state.isLive)
        // With live mutations it is folded anew, and the base fetched.
        let stored =
            live.isEmpty
            ? try store.record(model, id)
            : try store.legible { () throws(StoreError) in try store.record(model, id) }
        let base: Base
        if let kept = try store.legible({ () throws(StoreError) in try store.base(key) }) {
            base = kept
        } else if live.isEmpty {
            base = Base(version: stored?.version, record: stored?.record)
        } else {
            base = .absent
        }
        return RecordState(
            base: base, live: live, current: stored?.record, version: stored?.version)
    }

    /// Makes current the fold of `base` and the live mutations, and keeps the base row only while
    /// there are any.
    ///
    /// `known` is the present of the record where that was just read.
    ///
    /// - Returns: The names of the fields that changed in view, and what kind of change that was;
    ///   nil when nothing did.
    @discardableResult
    package func refold(
        _ model: Model, _ id: RecordID, base: Base, known: RecordState? = nil
    ) throws(StoreError) -> ViewChange? {
        let key = RecordKey(model.name, id)
        let live = try live(of: key, known)
        if live.isEmpty {
            try store.removeBase(key)
        } else {
            try store.setBase(key, base)
        }
        let before: StoredRecord?
        if let known {
            before = known.stored
        } else {
            before = try store.legible { () throws(StoreError) in try store.record(model, id) }
        }
        let after = fold(base, live)
        if let after {
            if before?.record != after || before?.version != base.version {
                try store.putRecord(model, id, after, version: base.version)
            }
        } else {
            let isThere = try before == nil ? store.recordExists(model, id) : true
            if isThere { try store.removeRecord(model, id) }
        }
        return ViewChange(from: before?.record, to: after)
    }

    /// The record's live mutations, from `known` where that was just read.
    func live(of key: RecordKey, _ known: RecordState?) throws(StoreError) -> [Mutation] {
        if let known { return known.live }
        return try store.mutations(of: key).filter(\.state.isLive)
    }
}

/// A difference between two states of a record.
package struct ViewChange: Sendable, Equatable {
    package var kind: ChangeKind
    package var fields: [String]

    /// Nil when both states are equal.
    package init?(from before: JSONObject?, to after: JSONObject?) {
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, let after?): self = ViewChange(kind: .insert, fields: after.keys)
        case (let before?, nil): self = ViewChange(kind: .delete, fields: before.keys)
        case (let before?, let after?):
            var fields = after.pairs.filter { before[$0.key] ?? .null != $0.value }.map(\.key)
            fields += before.keys.filter { after.index(of: $0) == nil }
            if fields.isEmpty { return nil }
            self = ViewChange(kind: .update, fields: fields)
        }
    }

    private init(kind: ChangeKind, fields: [String]) {
        self.kind = kind
        self.fields = fields
    }
}
