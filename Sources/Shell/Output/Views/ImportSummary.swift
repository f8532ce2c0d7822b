package import JSON

/// What an `import` did.
package struct ImportSummary: Reported, Sendable, Equatable {
    package var created = 0
    package var updated = 0
    package var unchanged = 0
    package var failed = 0

    package init() {}

    package static let keys = ["created", "updated", "unchanged", "failed"]

    package var values: [JSONValue] {
        [created, updated, unchanged, failed].map { .int(Int64($0)) }
    }

    package func text(_ style: Style) -> String {
        let counts = [
            (created, "created", Style.Look.green), (updated, "updated", .green),
            (unchanged, "unchanged", .dim), (failed, "failed", .red),
        ].filter { $0.0 > 0 }.map { style($0.2, "\(Quantity.grouped($0.0)) \($0.1)") }
        return counts.isEmpty ? "nothing to import\n" : counts.joined(separator: ", ") + "\n"
    }
}
