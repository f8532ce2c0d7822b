/// The words of `--output`.
package enum OutputFormat: String, Sendable, CaseIterable {
    case table, tsv, json, ndjson, csv, yaml, id

    /// The format where none was asked for.
    package static func standard(onTerminal: Bool) -> OutputFormat { onTerminal ? .table : .tsv }

    /// Formats whose results and errors are JSON.
    package var isJSON: Bool { self == .json || self == .ndjson }

    /// Formats that show what is dangerous instead of writing it.
    package var isForPeople: Bool { self == .table || self == .tsv }

    /// Such as "table, tsv, json, ndjson, csv, yaml, id".
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
