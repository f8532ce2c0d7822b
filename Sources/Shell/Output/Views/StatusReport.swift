package import JSON
internal import Records

/// How things stand with the backend.
package struct StatusReport: Reported, Sendable {
    package struct ModelStatus: Sendable {
        package var model: String
        package var records: Int
        /// The first pull came to its end.
        package var isComplete: Bool
        /// Milliseconds since 1970.
        package var syncedAt: Int64?

        package init(model: String, records: Int, isComplete: Bool, syncedAt: Int64?) {
            self.model = model
            self.records = records
            self.isComplete = isComplete
            self.syncedAt = syncedAt
        }
    }

    package var context: String
    package var backend: String
    /// `unknown`, `online`, `offline`, `needs-auth` or `paused`.
    package var network: String
    package var queued = 0
    package var sending = 0
    package var unknown = 0
    package var waiting = 0
    package var conflicts = 0
    package var rejected = 0
    package var quarantined = 0
    /// Milliseconds since 1970.
    package var oldestQueuedAt: Int64?
    package var lastError: String?
    /// What the backend asked for before more is sent to it.
    package var wait: BackendWait?
    package var models: [ModelStatus] = []
    /// For ages in the text.
    package var now: Int64

    package init(context: String, backend: String, network: String, now: Int64) {
        self.context = context
        self.backend = backend
        self.network = network
        self.now = now
    }

    package static let keys = [
        "context", "backend", "network", "queued", "sending", "unknown", "waiting", "conflicts",
        "rejected", "quarantined", "oldest_queued_at", "last_error", "models", "next_attempt_at",
        "wait_reason",
    ]

    package var values: [JSONValue] {
        [
            .string(context), .string(backend), .string(network), .int(Int64(queued)),
            .int(Int64(sending)), .int(Int64(unknown)), .int(Int64(waiting)),
            .int(Int64(conflicts)), .int(Int64(rejected)), .int(Int64(quarantined)),
            instant(oldestQueuedAt), lastError.map { .string($0) } ?? .null,
            .array(
                models.map {
                    [
                        "model": .string($0.model), "records": .int(Int64($0.records)),
                        "complete": .bool($0.isComplete), "synced_at": instant($0.syncedAt),
                    ]
                }),
            instant(wait?.until), wait.map { .string($0.reason) } ?? .null,
        ]
    }

    package func text(_ style: Style) -> String {
        var card = TextCard(style)
        card.line("context", context)
        card.line("backend", "\(backend), \(network)")
        card.line("to deliver", deliverText)
        if conflicts > 0 { card.line("conflicts", Quantity.count(conflicts, "record")) }
        if rejected > 0 { card.line("rejected", Quantity.count(rejected, "change")) }
        if quarantined > 0 { card.line("quarantine", Quantity.count(quarantined, "record")) }
        if let wait {
            let time = BackendWait.time(wait.until, now: now)
            card.line("waits", "until \(time), as the backend asked: \(wait.reason)")
        }
        if let lastError { card.line("last error", lastError) }
        for model in models {
            let synced = model.syncedAt.map { "synced \(age(of: $0, at: now))" } ?? "never synced"
            let rest = model.isComplete || model.syncedAt == nil ? "" : ", not complete"
            card.line(model.model, "\(Quantity.count(model.records, "record")), \(synced)\(rest)")
        }
        if network == "needs-auth" { card.hint("auth login lets the backend in again") }
        if network == "paused" { card.hint("sync resume goes on") }
        if conflicts > 0 { card.hint("conflicts lists them, conflicts show MODEL ID compares") }
        if rejected > 0 { card.hint("queue show N says why; queue edit, retry and drop repair") }
        if quarantined > 0 { card.hint("quarantine lists what was not understood") }
        return card.text
    }

    private var deliverText: String {
        let counts = [
            (queued, "queued"), (sending, "sending"), (unknown, "unknown"), (waiting, "waiting"),
        ].filter { $0.0 > 0 }.map { "\(Quantity.grouped($0.0)) \($0.1)" }
        guard !counts.isEmpty else { return "nothing" }
        let since = oldestQueuedAt.map { ", the oldest from \(age(of: $0, at: now))" } ?? ""
        return counts.joined(separator: ", ") + since
    }
}
