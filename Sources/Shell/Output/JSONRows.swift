package import JSON

/// Rows as JSON: an array with a row a line, one object, or an object a line.
package struct JSONRows: RowSink {
    package enum Shape: Sendable {
        case array
        /// The object of the only row.
        case object
        /// An object a line, each handed on at once when `isLive`.
        case lines(isLive: Bool)
    }

    private let shape: Shape
    private var spool: Spool
    private var columns = Columns([])
    private var related: [Column] = []
    private var count = 0

    package init(_ shape: Shape, to sink: any ByteSink) {
        self.shape = shape
        spool = Spool(sink)
    }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns
        related = columns.list.filter(\.isIncluded)
        if case .array = shape { spool.bytes.append(UInt8(ascii: "[")) }
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        if case .array = shape, count > 0 { spool.bytes.append(contentsOf: ",\n".utf8) }
        count += 1
        try row.appendJSON(columns, to: &spool.bytes)
        if !included.isEmpty { append(included) }
        guard case .lines(let isLive) = shape else { return try spool.pour() }
        spool.bytes.append(UInt8(ascii: "\n"))
        if isLive {
            try spool.flush()
        } else {
            try spool.pour()
        }
    }

    package mutating func end(total: Int?) throws(ShellError) {
        switch shape {
        case .array: spool.bytes.append(contentsOf: "]\n".utf8)
        case .object: spool.bytes.append(UInt8(ascii: "\n"))
        case .lines: break
        }
        try spool.flush()
    }

    /// Opens the object just written and puts the included relations at its end.
    private mutating func append(_ included: [JSONValue]) {
        spool.bytes.removeLast()
        var isFirst = spool.bytes.last == UInt8(ascii: "{")
        for column in related {
            guard case .included(let index) = column.source, index < included.count else {
                continue
            }
            if !isFirst { spool.bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONWriter.appendString(column.name, to: &spool.bytes)
            spool.bytes.append(UInt8(ascii: ":"))
            included[index].write(into: &spool.bytes)
        }
        spool.bytes.append(UInt8(ascii: "}"))
    }
}
