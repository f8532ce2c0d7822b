package import JSON

/// What a `sync` did and what is left.
package struct SyncSummary: Reported, Sendable, Equatable {
    package var pushed = 0
    package var pulled = 0
    package var deleted = 0
    package var conflicts = 0
    package var rejected = 0
    package var waiting = 0
    package var remaining = 0
    /// Caught up both ways.
    package var isComplete = true

    package init() {}

    package static let keys = [
        "pushed", "pulled", "deleted", "conflicts", "rejected", "waiting", "remaining", "complete",
    ]

    package var values: [JSONValue] {
        [pushed, pulled, deleted, conflicts, rejected, waiting, remaining].map { .int(Int64($0)) }
            + [.bool(isComplete)]
    }

    package func text(_ style: Style) -> String {
        let counts = [
            (pushed, "pushed", Style.Look.green), (pulled, "pulled", .green),
            (deleted, "deleted", .yellow), (conflicts, "in conflict", .red),
            (rejected, "rejected", .red), (waiting, "waiting", .yellow),
            (remaining, "remaining", .yellow),
        ].filter { $0.0 > 0 }.map { style($0.2, "\(Quantity.grouped($0.0)) \($0.1)") }
        guard !counts.isEmpty else { return isComplete ? "up to date\n" : "not caught up\n" }
        return counts.joined(separator: ", ") + (isComplete ? "\n" : "; not caught up\n")
    }
}
