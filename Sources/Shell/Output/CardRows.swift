package import JSON

/// Rows as cards for people: a line a column, names before values, an empty line between cards.
package struct CardRows: RowSink {
    private let style: Style
    private var spool: Spool
    private var columns: [Column] = []
    private var nameWidth = 0
    private var count = 0

    package init(to sink: any ByteSink, style: Style = .plain) {
        self.style = style
        spool = Spool(sink)
    }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns.list
        nameWidth = columns.list.map { Sanitizer.show($0.name).displayWidth }.max() ?? 0
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        if count > 0 { spool.bytes.append(UInt8(ascii: "\n")) }
        count += 1
        for column in columns { append(column, try CellText(row, column, included).plain) }
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(ShellError) {
        try spool.flush()
    }

    private mutating func append(_ column: Column, _ text: String?) {
        let name = Sanitizer.show(column.name)
        let indentation = String(repeating: " ", count: nameWidth + 2)
        var line = style(.bold, name) + indentation.dropFirst(name.displayWidth)
        if let text {
            // The lines of a text stay lines, set in so that none can pose as another field.
            line += Sanitizer.show(text, lines: .kept).split(
                separator: "\n", omittingEmptySubsequences: false
            ).joined(separator: "\n" + indentation)
        } else {
            line += style(.dim, "null")
        }
        spool.bytes.append(contentsOf: line.utf8)
        spool.bytes.append(UInt8(ascii: "\n"))
    }
}
