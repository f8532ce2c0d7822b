internal import Platform
package import Records

/// How a listing is to be shown: what the options and the terminal come to.
package struct Listing: Sendable {
    package var format: OutputFormat
    /// One record was asked for by its id: json formats give an object instead of an array.
    package var isSingle = false
    /// Each line is handed on as soon as it is there, as `watch` wants.
    package var isLive = false
    /// The terminal's width; nil where nothing may be cut.
    package var width: Int?
    /// Nothing in the texts may steer who reads: `exact` makes it visible.
    package var isOnTerminal = false
    /// How many rows a table on a terminal shows.
    package var rowCap = 1000
    package var style = Style.plain

    package init(format: OutputFormat) { self.format = format }

    /// What was asked for, or the standard of the stream for nil.
    package init(format: OutputFormat?, terminal: Terminal, color: ColorChoice = .auto) {
        self.init(format: format ?? .standard(onTerminal: terminal.outputIsTerminal))
        isOnTerminal = terminal.outputIsTerminal
        width = terminal.outputIsTerminal ? terminal.size.columns : nil
        style = terminal.style(.output, color: color)
    }

    /// The columns that a listing of records has in this format.
    package func columns(
        of model: Model, fields: [Int]? = nil, includes: [String] = [], meta: Bool = false
    ) -> Columns {
        if format == .id { return Columns(keyOf: model) }
        return Columns(of: model, fields: fields, includes: includes, meta: meta)
    }

    /// Where texts go that this format writes as they are: on a terminal they are made safe.
    package func exact(_ sink: any ByteSink) -> any ByteSink {
        guard isOnTerminal else { return sink }
        switch format {
        case .json, .ndjson: return TerminalText(sink, as: .json)
        case .csv, .id, .yaml: return TerminalText(sink, as: .shown)
        // Made safe cell by cell, and dressed in colours of ours.
        case .table, .tsv: return sink
        }
    }

    /// What writes the rows.
    package func rows(to sink: any ByteSink) -> any RowSink {
        let sink = exact(sink)
        switch format {
        case .table where isSingle && width != nil: return CardRows(to: sink, style: style)
        case .table: return TableRows(to: sink, width: width, cap: rowCap, style: style)
        case .tsv: return TSVRows(to: sink)
        case .json: return JSONRows(isSingle ? .object : .array, to: sink)
        case .ndjson: return JSONRows(.lines(isLive: isLive), to: sink)
        case .csv: return CSVRows(to: sink)
        case .yaml: return YAMLRows(isSingle: isSingle, to: sink)
        case .id: return IDRows(to: sink)
        }
    }
}
