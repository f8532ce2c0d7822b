package import JSON
package import Platform
package import Records

/// The host as a plugin sees it: where notifications go.
///
/// A notification that cannot be written is dropped: the reply that follows fails the same way and
/// ends the plugin.
package final class PluginHost {
    package enum Level: String, Sendable { case debug, info, warning, error }

    private let output: ByteOutput

    package init(output: ByteOutput) { self.output = output }

    /// Tells that a record changed: a hint, the next pull is the truth.
    ///
    /// - Parameters:
    ///   - model: The record's model.
    ///   - id: Its id.
    ///   - version: Its version now.
    ///   - content: The record, where the plugin has it whole.
    ///   - originKey: The key of the operation that made the change.
    package func event(
        model: String, id: RecordID, version: JSONValue?, content: Content = .unseen,
        originKey: String? = nil
    ) {
        var params = JSONObject([
            ("model", .string(model)), ("id", .string(id.text)), ("version", version ?? .null),
        ])
        switch content {
        case .unseen: break
        case .record(let record): params.append("record", .object(record))
        case .deleted: params.append("deleted", true)
        }
        if let originKey { params.append("origin_key", .string(originKey)) }
        notify("event", params)
    }

    /// What an event knows of its record.
    package enum Content: Sendable, Equatable {
        case unseen, deleted
        case record(JSONObject)
    }

    /// Tells that events were lost: the host pulls again.
    package func gap() { notify("gap", JSONObject()) }

    package func log(_ level: Level, _ message: String) {
        notify(
            "log",
            JSONObject([("level", .string(level.rawValue)), ("message", .string(message))]))
    }

    /// Hands over a secret that was renewed.
    ///
    /// - Parameters:
    ///   - key: The config key.
    ///   - value: The new secret.
    ///   - expiresAt: Milliseconds since 1970.
    package func secret(key: String, value: String, expiresAt: Int64? = nil) {
        var params = JSONObject([("key", .string(key)), ("value", .string(value))])
        if let expiresAt { params.append("expires_at", .int(expiresAt)) }
        notify("secret", params)
    }

    /// Tells how far request `id` got, which extends its deadline.
    package func progress(id: JSONValue, done: Int, total: Int?) {
        var params = JSONObject([("id", id), ("done", .int(Int64(done)))])
        if let total { params.append("total", .int(Int64(total))) }
        notify("progress", params)
    }

    private func notify(_ method: String, _ params: JSONObject) {
        let message: JSONValue = [
            "jsonrpc": "2.0", "method": .string(method), "params": .object(params),
        ]
        var line = message.bytes()
        line.append(UInt8(ascii: "\n"))
        do throws(SystemError) {
            try output.write(line)
            try output.flush()
        } catch {
            // The output remembers its failure and gives it to the next reply.
        }
    }
}
