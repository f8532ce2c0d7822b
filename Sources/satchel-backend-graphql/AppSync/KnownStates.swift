internal import JSON
package import PluginKit
package import Records

/// What this process heard of records a short while ago: an API's reads may be older than that.
///
/// AppSync reads its tables as they were a moment before. A page that is as old would bring back what
/// an acknowledged write has changed, and leave out what one has made.
package struct KnownStates: Sendable {
    private struct State {
        var version: JSONValue?
        var isDeleted: Bool
        /// The version that was overwritten, where a write of ours did that.
        var replaced: JSONValue?
        var isOurs: Bool
        var at: Int64
    }

    /// Two ages, so that the older one can be forgotten at once.
    private var states: [RecordKey: State] = [:]
    private var olderStates: [RecordKey: State] = [:]
    private var turned: Int64 = 0

    /// Milliseconds after which a state counts no more: a table may have been put back from a backup.
    private static let life: Int64 = 60_000
    private static let most = 10_000

    package init() {}

    /// Takes note of what came of a write.
    package mutating func note(
        _ operation: PluginOperation, _ verdict: PluginVerdict, at now: Int64
    ) {
        let key = RecordKey(operation.model, operation.id)
        switch verdict {
        case .ok(let version, let record, nil):
            let isDeleted = operation.kind == .delete || record == nil
            note(
                key,
                State(
                    version: version, isDeleted: isDeleted, replaced: operation.baseVersion,
                    isOurs: true, at: now))
        case .conflict(let version?, let record):
            note(key, State(version: version, isDeleted: record == nil, isOurs: false, at: now))
        default: break
        }
    }

    /// Takes note of what was read.
    package mutating func note(_ item: Item, of model: String, at now: Int64) {
        switch item {
        case .record(let id, let version?, _):
            note(
                RecordKey(model, id),
                State(version: version, isDeleted: false, isOurs: false, at: now))
        case .deleted(let id, let version?):
            note(
                RecordKey(model, id),
                State(version: version, isDeleted: true, isOurs: false, at: now))
        default: break
        }
    }

    private mutating func note(_ key: RecordKey, _ state: State) {
        if states.count >= Self.most || state.at - turned > Self.life {
            olderStates = states
            states = [:]
            turned = state.at
        }
        var state = state
        // What only was read again is no younger for it.
        if !state.isOurs, let known = self[key, at: state.at], known.version == state.version {
            state = known
        }
        states[key] = state
    }

    private subscript(key: RecordKey, at now: Int64) -> State? {
        guard let state = states[key] ?? olderStates[key], now - state.at <= Self.life else {
            return nil
        }
        return state
    }

    /// True for a state that is older than the known one.
    package func isPast(_ item: Item, of model: String, at now: Int64) -> Bool {
        if states.isEmpty, olderStates.isEmpty { return false }
        let told: JSONValue
        let id: RecordID
        let isDeleted: Bool
        switch item {
        case .record(let known, let version?, _): (id, told, isDeleted) = (known, version, false)
        case .deleted(let known, let version?): (id, told, isDeleted) = (known, version, true)
        default: return false
        }
        guard let state = self[RecordKey(model, id), at: now] else { return false }
        if let version = state.version {
            if let isBefore = told.isBefore(version) { return isBefore }
            return told != version && told == state.replaced
        }
        // Of a deletion that has no version of its own: what was deleted, and what came before.
        guard state.isDeleted, !isDeleted, let replaced = state.replaced else { return false }
        return told == replaced || told.isBefore(replaced) ?? false
    }

    /// The records of a model that our writes left there within the last milliseconds.
    package func written(of model: String, since earliest: Int64) -> Set<RecordID> {
        var ids: Set<RecordID> = []
        for (key, state) in olderStates.merging(states, uniquingKeysWith: { $1 })
        where state.isOurs && !state.isDeleted && state.at >= earliest {
            if key.model.sameBytes(as: model) { ids.insert(key.id) }
        }
        return ids
    }
}

extension JSONValue {
    /// Whether a version came before another; nil where that cannot be told.
    ///
    /// Numbers can be compared, and instants that are written alike.
    fileprivate func isBefore(_ other: JSONValue) -> Bool? {
        if let mine = integer, let theirs = other.integer { return mine < theirs }
        guard let mine = text?.utf8, let theirs = other.text?.utf8, mine.count == theirs.count,
            mine.last == UInt8(ascii: "Z"), theirs.last == UInt8(ascii: "Z"),
            mine.prefix(4).allSatisfy({ 0x30...0x39 ~= $0 }),
            theirs.prefix(4).allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return mine.lexicographicallyPrecedes(theirs)
    }
}
