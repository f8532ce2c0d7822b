import Records

extension World {
    /// What happens to the world at large.
    func befall(_ action: Action) {
        switch action {
        case .clockAhead:
            count(.clockAhead)
            now += 31_536_000_000
        case .clockBack:
            count(.clockBack)
            now -= 31_536_000_000
        case .resetEpoch:
            count(.epochReset)
            server.beginEpoch()
        case .loseData:
            count(.dataLost)
            loseData()
        case .expireWindow:
            count(.windowExpired)
            server.forget()
        case .expireTombstones:
            count(.tombstonesExpired)
            server.forgetTombstones()
        case .breakRecord:
            if let key = anyEntry() {
                count(.recordBroken)
                server.breakRecord(key)
            }
        case .extendRecord:
            if let key = anyEntry() {
                count(.fieldUnknown)
                server.extendRecord(key)
            }
        case .changeDataSet:
            count(.dataSetChanged)
            server.changeDataSet()
            if draw.chance(.loss, 50) { loseData() }
        case .refuseWrites:
            count(.writesRefused)
            server.refuseWrites(at: now, for: Int64(draw.number(.pause, 1..<60_000)))
        case .mendRecords: server.mend()
        default: return
        }
    }

    /// A client, or each of them, is on another schema from its next step on.
    func changeSchema(_ client: SimulatedClient) throws {
        let name = draw.pick(.schema, SchemaVariant.Name.allCases, name: \.rawValue)
        let variant = try SchemaVariant.named(name ?? .plain)
        Trace.note("    schema \(variant.name)")
        for one in draw.chance(.schema, 40) ? clients : [client] { one.adopt(variant) }
    }

    private func anyEntry() -> RecordKey? {
        draw.pick(.record, Array(server.entries.keys), name: { "\($0)" })
    }

    /// The backend goes back to a backup: some records are as they were, some are not there.
    private func loseData() {
        let percent = draw.number(.loss, 1..<6) * 20
        for key in server.entries.keys.sorted(by: { "\($0)" < "\($1)" })
        where draw.chance(.loss, percent) {
            server.revert(key, to: draw.chance(.loss, 50) ? nil : draw.bits(.loss))
        }
        server.beginEpoch()
        server.forgetKeys()
        for client in clients {
            client.seen = [:]
            client.toldGone = [:]
            client.effects = [:]
        }
    }
}
