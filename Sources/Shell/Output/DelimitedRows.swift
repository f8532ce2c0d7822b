package import JSON

/// Rows as comma-separated values, exact: https://www.rfc-editor.org/rfc/rfc4180 with LF for line
/// ends, as every tool of this system writes and reads them.
///
/// A null is an empty cell, the empty string is `""`; lists and objects are JSON.
package struct CSVRows: RowSink {
    private var spool: Spool
    private var columns: [Column] = []

    package init(to sink: any ByteSink) { spool = Spool(sink) }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns.list
        for (index, column) in columns.list.enumerated() {
            if index > 0 { spool.bytes.append(UInt8(ascii: ",")) }
            append(text: column.name)
        }
        spool.bytes.append(UInt8(ascii: "\n"))
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        for (index, column) in columns.enumerated() {
            if index > 0 { spool.bytes.append(UInt8(ascii: ",")) }
            if case .included(let place) = column.source {
                append(place < included.count ? included[place] : .null)
            } else {
                append(try row.cell(column.source))
            }
        }
        spool.bytes.append(UInt8(ascii: "\n"))
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(ShellError) {
        try spool.flush()
    }

    private mutating func append(_ value: JSONValue) {
        switch value {
        case .null: break
        case .string(let text): append(text: text)
        case .array, .object:
            let json = value.bytes()
            CSVRows.append(json.span, to: &spool.bytes)
        default: value.write(into: &spool.bytes)
        }
    }

    private mutating func append(text: String) {
        CSVRows.append(text.utf8Span.span, to: &spool.bytes)
    }

    private static func append(_ cell: borrowing Span<UInt8>, to bytes: inout [UInt8]) {
        guard needsQuotes(cell) else {
            return cell.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        bytes.append(UInt8(ascii: "\""))
        for index in cell.indices {
            let byte = cell[unchecked: index]
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The empty string, separators, quotes, line ends, and spaces that a reader might strip.
    private static func needsQuotes(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != 0x20, bytes[bytes.count - 1] != 0x20 else { return true }
        for index in bytes.indices {
            switch bytes[unchecked: index] {
            case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D: return true
            default: continue
            }
        }
        return false
    }
}

/// Rows as tab-separated values for people and simple tools: nothing cut, a row a line.
///
/// Tabs, newlines, carriage returns and backslashes in a cell are written `\t`, `\n`, `\r`, `\\`;
/// what else could steer a terminal is shown as `Sanitizer` does. A null is an empty cell.
package struct TSVRows: RowSink {
    private var spool: Spool
    private var columns: [Column] = []

    package init(to sink: any ByteSink) { spool = Spool(sink) }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns.list
        for (index, column) in columns.list.enumerated() {
            if index > 0 { spool.bytes.append(UInt8(ascii: "\t")) }
            Sanitizer.append(column.name, lines: .escaped, to: &spool.bytes)
        }
        spool.bytes.append(UInt8(ascii: "\n"))
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        for (index, column) in columns.enumerated() {
            if index > 0 { spool.bytes.append(UInt8(ascii: "\t")) }
            switch try CellText(row, column, included) {
            case .none: break
            case .text(let text): Sanitizer.append(text, lines: .escaped, to: &spool.bytes)
            case .value(let value): value.write(into: &spool.bytes)
            }
        }
        spool.bytes.append(UInt8(ascii: "\n"))
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(ShellError) {
        try spool.flush()
    }
}
