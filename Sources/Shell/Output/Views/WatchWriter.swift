internal import JSON
internal import Records

/// Writes what `watch` tells as it happens, each event handed on at once.
package struct WatchWriter {
    private let listing: Listing
    private var spool: Spool
    private var rows: any RowSink
    private var hasBegun = false

    package init(_ listing: Listing, to sink: any ByteSink) {
        self.listing = listing
        spool = Spool(listing.exact(sink))
        rows = listing.rows(to: sink)
    }

    package mutating func write(_ event: WatchEvent) throws(ShellError) {
        switch listing.format {
        case .json, .ndjson: append(event.json)
        case .table: spool.bytes.append(contentsOf: (event.line(listing.style) + "\n").utf8)
        case .yaml: YAMLWriter.append([.object(event.json)], to: &spool.bytes)
        case .id:
            guard let key = event.key else { return }
            spool.bytes.append(contentsOf: (key.id.text + "\n").utf8)
        case .tsv, .csv: return try writeRow(event)
        }
        try spool.flush()
    }

    private mutating func append(_ object: JSONObject) {
        object.write(into: &spool.bytes)
        spool.bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func writeRow(_ event: WatchEvent) throws(ShellError) {
        if !hasBegun {
            try rows.begin(Column.values("token", "event", "model", "id", "record", "origin"))
        }
        hasBegun = true
        let json = event.json
        let cells = ["token", "event", "model", "id", "record", "origin"].map { json[$0] ?? .null }
        try rows.row(ValuesRow(cells))
        // A row sink flushes only at its end; ending hands on and may be done again.
        try rows.end()
    }
}
