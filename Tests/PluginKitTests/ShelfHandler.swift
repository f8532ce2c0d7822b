import JSON
import PluginKit
import Records

/// A backend in memory: one version counter, records by id.
final class ShelfHandler: PluginHandler {
    let name = "shelf"
    let version = "1"
    let summary = "keeps records in memory"
    private var records: [String: (version: Int64, record: JSONObject)] = [:]
    private var host: PluginHost?

    func initialize(_ setup: PluginSetup, host: PluginHost) throws(PluginError) -> PluginWelcome {
        guard setup.config["color"] == nil else {
            throw PluginError(.permanent, "the config has no color", hint: "remove it")
        }
        self.host = host
        return PluginWelcome(
            capabilities: PluginCapabilities(push: .init(idempotency: .key, batch: 10)),
            identity: "shelf-\(setup.context)")
    }

    func ping(_ call: PluginCall) throws(PluginError) {
        host?.log(.info, "ping came")
    }

    func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        guard query.model != "Endless" else {
            while true { try call.checkCancelled() }
        }
        for (id, entry) in records.sorted(by: { $0.key < $1.key }).prefix(query.limit) {
            page.append(id: RecordID(id), version: .int(entry.version), record: entry.record)
        }
        page.append(deleted: RecordID("gone"), version: 9)
        page.append(undecodable: RecordID("odd"), raw: [0x22, 0xFF])
        return PluginPageEnd(cursor: ["after": "z"], more: false, epoch: "e")
    }

    func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        operations.map { operation in
            guard let record = operation.record else { return nil }
            records[operation.id.text] = (1, record)
            return .ok(version: 1, record: record)
        }
    }
}
