package import JSON

/// Rows as a table for people: aligned, cut to the terminal's width, capped with a note.
///
/// Where nothing may be cut (`width` is nil) the first rows, up to the cap, set the widths and the
/// rest follow as they come.
package struct TableRows: RowSink {
    private struct Cell {
        var text: String
        var width: Int
        var isNull = false
    }

    private let width: Int?
    private let cap: Int
    private let style: Style
    private var spool: Spool
    private var columns: [Column] = []
    private var held: [[Cell]] = []
    private var layout: TableLayout?
    private var count = 0

    /// Starts a table for a terminal `width` columns wide; nil where nothing may be cut or left out.
    ///
    /// `cap` is how many rows are held, and on a terminal shown.
    package init(to sink: any ByteSink, width: Int?, cap: Int = 1000, style: Style = .plain) {
        self.width = width
        self.cap = max(cap, 1)
        self.style = style
        spool = Spool(sink)
    }

    package var wantsRows: Bool { width == nil || count <= cap }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns.list
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        count += 1
        if layout == nil, held.count < cap { return held.append(try cells(row, included)) }
        guard width == nil else { return }
        if layout == nil { try writeHeld() }
        write(try cells(row, included))
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(ShellError) {
        if layout == nil { try writeHeld() }
        writeNotes(total: max(total ?? 0, count))
        try spool.flush()
    }
}

extension TableRows {
    private func cells<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, _ included: [JSONValue]
    ) throws(ShellError) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(columns.count)
        for column in columns {
            if let text = try CellText(row, column, included).plain {
                cells.append(cell(text, isElided: column.isElided))
            } else {
                cells.append(Cell(text: "null", width: 4, isNull: true))
            }
        }
        return cells
    }

    private func cell(_ text: String, isElided: Bool = false) -> Cell {
        guard let width, text.utf8.count > width, !isElided else {
            let shown = Sanitizer.show(text)
            return Cell(text: shown, width: shown.displayWidth)
        }
        // Only the start can be seen: a megabyte of text need not be held for it.
        let shown = Sanitizer.show(String(text.prefix(width + 1))).cut(toWidth: width)
        return Cell(text: shown, width: shown.displayWidth)
    }

    private mutating func writeHeld() throws(ShellError) {
        let header = columns.map { cell($0.name) }
        var natural = header.map(\.width)
        for row in held {
            for (index, cell) in row.enumerated() {
                natural[index] = max(natural[index], cell.width)
            }
        }
        layout = TableLayout(natural: natural, columns: columns, available: width)
        write(header, isHeader: true)
        for row in held {
            write(row)
            try spool.pour()
        }
        held = []
    }

    private mutating func write(_ cells: [Cell], isHeader: Bool = false) {
        guard let layout else { return }
        var isFirst = true
        for (index, width) in layout.widths.enumerated() {
            guard let width else { continue }
            var cell = cells[index]
            if cell.width > width {
                cell.text =
                    columns[index].isElided && !isHeader
                    ? cell.text.elided(toWidth: width) : cell.text.cut(toWidth: width)
                cell.width = cell.text.displayWidth
            }
            let padding = max(width - cell.width, 0)
            let isRight = columns[index].alignment == .right
            if !isFirst { pad(TableLayout.gap) }
            isFirst = false
            if isRight { pad(padding) }
            let text =
                isHeader
                ? style(.bold, cell.text) : cell.isNull ? style(.dim, cell.text) : cell.text
            spool.bytes.append(contentsOf: text.utf8)
            if !isRight { pad(padding) }
        }
        while spool.bytes.last == UInt8(ascii: " ") { spool.bytes.removeLast() }
        spool.bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func pad(_ count: Int) {
        spool.bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
    }

    /// Nothing is left out silently.
    private mutating func writeNotes(total: Int) {
        guard let layout, width != nil else { return }
        if total == 0 { note("no records") }
        if total > cap {
            note(
                "… \(Quantity.grouped(total - cap)) more; limit and offset page, -o ndjson shows all"
            )
        }
        let hidden = zip(columns, layout.widths).filter { $1 == nil }
        if !hidden.isEmpty {
            let names = hidden.map { Sanitizer.show($0.0.name) }.joined(separator: ", ")
            note("too narrow for: \(names)")
        }
    }

    private mutating func note(_ text: String) {
        spool.bytes.append(contentsOf: style(.dim, text).utf8)
        spool.bytes.append(UInt8(ascii: "\n"))
    }
}
