package import JSON
package import Records

/// What `watch` tells of.
package struct WatchEvent: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case snapshot
        /// The snapshot is over; changes follow.
        case ready
        case insert, update, delete, synced, rejected
        case network
    }

    package var kind: Kind
    /// What `--since` takes.
    package var token: String
    package var key: RecordKey?
    /// The record's state after the change; nil when it is gone.
    package var record: JSONObject?
    /// Such as `local` or `remote`; the new state of the network for `network`.
    package var origin: String?
    /// The refused change, for `rejected`; nil where it is no longer in the queue.
    package var refused: Mutation?

    package init(
        _ kind: Kind, token: String, key: RecordKey? = nil, record: JSONObject? = nil,
        origin: String? = nil, refused: Mutation? = nil
    ) {
        self.kind = kind
        self.token = token
        self.key = key
        self.record = record
        self.origin = origin
        self.refused = refused
    }

    /// The event as a line of ndjson has it.
    ///
    /// `{token,event,model,id,record,origin}`, null where there is nothing; a refused change comes
    /// along as `mutation: {seq,kind,error}`. The end of the snapshot is `{"event":"ready","token":..}`.
    package var json: JSONObject {
        if kind == .ready { return JSONObject([("event", "ready"), ("token", .string(token))]) }
        var object = JSONObject([
            ("token", .string(token)), ("event", .string(kind.rawValue)),
            ("model", key.map { .string($0.model) } ?? .null),
            ("id", key.map { .string($0.id.text) } ?? .null),
            ("record", record.map { .object($0) } ?? .null),
            ("origin", origin.map { .string($0) } ?? .null),
        ])
        if let refused {
            object["mutation"] = [
                "seq": .int(refused.seq), "kind": .string(refused.kind.rawValue),
                "error": refused.failure?.json ?? .null,
            ]
        }
        return object
    }

    /// One line for people, such as `~ Post 42  Green tea  (remote)`.
    package func line(_ style: Style = .plain) -> String {
        switch kind {
        case .ready: return style(.dim, "watching; q or Ctrl-C ends")
        case .network: return style(.cyan, "network: \(Sanitizer.show(origin ?? "unknown"))")
        case .snapshot, .insert, .update, .delete, .synced, .rejected: break
        }
        var words = [mark(style)]
        if let key { words.append("\(Sanitizer.show(key.model)) \(Sanitizer.show(key.id.text))") }
        if let record, case .string(let label) = CellText.label(of: record), label != key?.id.text {
            words.append(" \(Sanitizer.show(label).cut(toWidth: 60))")
        }
        if let origin, kind != .snapshot {
            words.append(style(.dim, " (\(Sanitizer.show(origin)))"))
        }
        if let refused, let failure = refused.failure {
            let reason = "\(refused.kind.rawValue) refused: \(Sanitizer.show(failure.message))"
            words.append(style(.red, " \(reason)"))
        }
        return words.joined(separator: " ")
    }

    private func mark(_ style: Style) -> String {
        switch kind {
        case .insert: style(.green, "+")
        case .update: style(.yellow, "~")
        case .delete: style(.red, "-")
        case .synced: style(.green, "✓")
        case .rejected: style(.red, "!")
        case .snapshot, .ready, .network: " "
        }
    }
}
