package import JSON
internal import Records

/// A thing that commands list: one JSON shape for programs, a few columns for people.
package protocol Listed {
    /// The keys of its JSON object, in their order: scripts depend on them.
    static var keys: [String] { get }
    /// A value for each key.
    var values: [JSONValue] { get }

    /// What a table shows.
    static var columns: [Column] { get }
    /// A value for each column.
    var cells: [JSONValue] { get }

    /// What `-o id` gives and other commands take.
    var handle: JSONValue { get }
}

extension Listed {
    package var json: JSONObject { JSONObject(Array(zip(Self.keys, values))) }
}

extension Listing {
    /// Writes a list whole.
    package func write<Item: Listed>(_ items: [Item], to sink: any ByteSink) throws(ShellError) {
        var rows = rows(to: sink)
        switch format {
        case .table, .tsv:
            try rows.begin(Item.columns)
            for item in items where rows.wantsRows { try rows.row(ValuesRow(item.cells)) }
        case .id:
            try rows.begin(Column.values("id"))
            for item in items { try rows.row(ValuesRow([item.handle])) }
        case .json, .ndjson, .csv, .yaml:
            try rows.begin(Item.keys.enumerated().map { Column($1, .value($0)) })
            for item in items { try rows.row(ObjectRow(item.json)) }
        }
        try rows.end(total: items.count)
    }
}

/// What a command reports as one object.
package protocol Reported {
    static var keys: [String] { get }
    var values: [JSONValue] { get }
    /// Several lines for people, aligned.
    func text(_ style: Style) -> String
}

extension Reported {
    package var json: JSONObject { JSONObject(Array(zip(Self.keys, values))) }
}

extension Listing {
    /// Writes a report: a text on a terminal, its one object elsewhere.
    package func write(_ report: some Reported, to sink: any ByteSink) throws(ShellError) {
        if format == .table {
            var spool = Spool(sink)
            spool.bytes.append(contentsOf: report.text(style).utf8)
            return try spool.flush()
        }
        // A report has no id to give.
        if format == .id { return }
        var single = self
        single.isSingle = true
        var rows = single.rows(to: sink)
        try rows.begin(ObjectRow.columns(of: report.json))
        try rows.row(ObjectRow(report.json))
        try rows.end()
    }
}

/// Milliseconds since 1970 as the text that JSON shapes hold; null for none.
func instant(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map { .string(Instant.format(milliseconds: $0)) } ?? .null
}

/// Such as "3 min ago".
func age(of milliseconds: Int64, at now: Int64) -> String {
    let seconds = Int(max(now - milliseconds, 0) / 1000)
    return seconds < 1 ? "just now" : "\(Quantity.duration(seconds: seconds)) ago"
}
