package import JSON
package import Records

/// Writes what a command that writes gives back: ids, a friendly line each on a terminal, and
/// records in the formats that hold them.
package struct ReceiptWriter {
    package enum Verb: String, Sendable {
        case created, updated, unchanged, deleted

        fileprivate var look: Style.Look {
            switch self {
            case .created: .green
            case .updated: .yellow
            case .unchanged: .dim
            case .deleted: .red
            }
        }
    }

    private let listing: Listing
    private let model: Model
    private var spool: Spool
    /// What writes whole records; nil where ids are all that is wanted.
    private var rows: (any RowSink)?
    private var hasBegun = false

    /// `listing.isSingle` says that the command names one record: json formats then give an object.
    package init(_ listing: Listing, model: Model, to sink: any ByteSink) {
        self.listing = listing
        self.model = model
        spool = Spool(sink)
        switch listing.format {
        case .table, .tsv, .id: rows = nil
        case .json, .ndjson, .csv, .yaml: rows = listing.rows(to: sink)
        }
    }

    /// Whether `write` will look at its record: callers need not fetch it otherwise.
    package var wantsRecords: Bool { rows != nil || isFriendly }

    private var isFriendly: Bool { listing.format == .table && listing.width != nil }

    /// Tells of one record; of a deleted one what it last was.
    package mutating func write(
        _ verb: Verb, _ id: RecordID, record: JSONObject?, version: JSONValue? = nil,
        state: String = "pending", meta: Bool = false
    ) throws(ShellError) {
        if rows != nil {
            return try write(
                RecordRow(record ?? JSONObject(), of: model, version: version, state: state),
                meta: meta)
        }
        if isFriendly {
            var line = "\(listing.style(verb.look, verb.rawValue)) \(Sanitizer.show(model.name)) "
            line += Sanitizer.show(id.text)
            if let record, case .string(let label) = CellText.label(of: record), label != id.text {
                line += "  \(Sanitizer.show(label).cut(toWidth: 40))"
            }
            spool.bytes.append(contentsOf: line.utf8)
        } else {
            spool.bytes.append(contentsOf: id.text.utf8)
        }
        spool.bytes.append(UInt8(ascii: "\n"))
        try spool.pour()
    }

    /// Writes what is left; `flushes` hands it on at once.
    package mutating func end(flushes: Bool = true) throws(ShellError) {
        guard rows != nil else { return flushes ? try spool.flush() : try spool.drain() }
        try begin(Columns(of: model))
        try rows?.end()
    }

    private mutating func begin(_ columns: Columns) throws(ShellError) {
        if !hasBegun { try rows?.begin(columns) }
        hasBegun = true
    }

    private mutating func write(_ row: RecordRow, meta: Bool) throws(ShellError) {
        try begin(Columns(of: model, meta: meta))
        try rows?.row(row)
    }
}
