internal import JSON
internal import Platform
internal import Records
internal import Sync

// The checks of level sync about events.

extension ConformanceBench {
    /// How long a change may take to be told, in milliseconds.
    private static let patience: Int64 = 5_000

    private struct Told {
        var events: [(id: String, event: JSONObject)] = []
        var hasGap = false

        func tells(_ ids: Set<String>) -> Bool {
            hasGap || ids.isSubset(of: events.map(\.id))
        }
    }

    func eventsTellOfChanges() throws(Shortfall) {
        let connection = try subscribed()
        let records = try make(2, on: try other())
        let changed = try edit(records[0], "changed elsewhere", on: try other())
        let told = try listen(connection, for: Set(records.map(\.id)))
        guard told.tells(Set(records.map(\.id))) else {
            throw .failed(
                "changes made by another process are told neither by events nor by a gap "
                    + "within \(Self.patience / 1000) s")
        }
        for (id, event) in told.events where id == changed.id {
            guard let record = event["record"]?.members, let version = event["version"]?.unlessNull,
                version == changed.version
            else { continue }
            let name = try writable().field.name
            guard record[name] == changed.record[name] else {
                throw .failed("an event brings another record than pull has of that version")
            }
        }
    }

    func eventsAreHints() throws(Shortfall) {
        let connection = try subscribed()
        guard capabilities.hasDelta else { throw .skipped("its capabilities have no delta") }
        let cursor = try end(try pull(on: connection))
        let records = try make(2, on: try other())
        let ids = Set(records.map(\.id))
        _ = try listen(connection, for: ids)
        // What was told by events is not thereby delivered: the host may have lost them.
        let missing = ids.subtracting(try pull(from: cursor, on: connection).ids)
        guard missing.isEmpty else {
            throw .failed("the delta leaves out what events told of: \(names(missing))")
        }
    }

    func lostEventsAreGap() throws(Shortfall) {
        let connection = try subscribed()
        let count = max(20, min(1_000, capabilities.batch * 10))
        let ids = Set(try make(count, on: try other()).map(\.id))
        let told = try listen(connection, for: ids)
        guard told.tells(ids) else {
            let missing = ids.subtracting(told.events.map(\.id)).count
            throw .failed("of \(count) changes \(missing) are told by no event, nor by a gap")
        }
    }
}

extension ConformanceBench {
    /// A process that tells of changes from now on.
    private func subscribed() throws(Shortfall) -> PluginConnection {
        _ = try writable()
        guard capabilities.hasEvents else { throw .skipped("its capabilities have no events") }
        let connection = try restart()
        _ = try ask(
            connection, .subscribe,
            JSONObject([("models", [.string(model)]), ("filters", .null)]))
        return connection
    }

    /// Collects events until all ids were told, a gap came, or nothing more comes.
    private func listen(
        _ connection: PluginConnection, for ids: Set<String>
    ) throws(Shortfall) -> Told {
        var told = Told()
        var missing = ids
        var deadline = setting.clock.monotonic() + Self.patience
        while !missing.isEmpty, !told.hasGap {
            let arrived = try minding { () throws(PluginError) in try connection.takeEvents() }
            for message in arrived { try take(message, &told, &missing) }
            if !arrived.isEmpty { deadline = setting.clock.monotonic() + Self.patience }
            let left = deadline - setting.clock.monotonic()
            guard left > 0, setting.interrupt?.isRaised != true else { break }
            if !missing.isEmpty, !told.hasGap {
                let waking = setting.interrupt.map { [$0.descriptor] } ?? []
                _ = Poll.wait(reading: [connection.descriptor] + waking, milliseconds: left)
            }
        }
        return told
    }

    private func take(
        _ message: PluginMessage, _ told: inout Told, _ missing: inout Set<String>
    ) throws(Shortfall) {
        guard case .event(let event) = message else {
            told.hasGap = true
            return
        }
        guard let name = event["model"]?.text, let id = event["id"].flatMap(RemoteItem.id) else {
            throw .failed("an event names no model and id")
        }
        guard name.sameBytes(as: model) else { return }
        told.events.append((id.text, event))
        missing.remove(id.text)
    }
}
