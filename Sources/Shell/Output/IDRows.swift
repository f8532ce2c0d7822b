package import JSON

/// Rows as their ids, one a line: for `xargs` and the like.
///
/// Its columns are the key fields; a composite key is the JSON array of their values.
package struct IDRows: RowSink {
    private var spool: Spool
    private var columns: [Column] = []

    package init(to sink: any ByteSink) { spool = Spool(sink) }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns.list
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        if columns.count == 1 {
            append(try row.cell(columns[0].source))
        } else {
            var key: [JSONValue] = []
            for column in columns { key.append(try row.cell(column.source)) }
            JSONValue.array(key).write(into: &spool.bytes)
        }
        spool.bytes.append(UInt8(ascii: "\n"))
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(ShellError) {
        try spool.flush()
    }

    private mutating func append(_ value: JSONValue) {
        if case .string(let text) = value {
            spool.bytes.append(contentsOf: text.utf8)
        } else {
            value.write(into: &spool.bytes)
        }
    }
}
