package import JSON
package import Platform

/// Rows as YAML: a sequence of mappings, or one mapping; see `YAMLWriter` for the subset.
package struct YAMLRows: RowSink {
    private let isSingle: Bool
    private var spool: Spool
    private var columns: [Column] = []
    private var count = 0

    package init(isSingle: Bool, to sink: any ByteSink) {
        self.isSingle = isSingle
        spool = Spool(sink)
    }

    package mutating func begin(_ columns: [Column]) throws(SystemError) { self.columns = columns }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(SystemError) {
        count += 1
        var object = JSONObject()
        object.reserveCapacity(columns.count)
        for column in columns {
            if case .included(let place) = column.source {
                object.append(column.name, place < included.count ? included[place] : .null)
            } else {
                object.append(column.name, row.cell(column.source))
            }
        }
        if isSingle {
            YAMLWriter.append(.object(object), to: &spool.bytes)
        } else {
            YAMLWriter.append(.array([.object(object)]), to: &spool.bytes)
        }
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(SystemError) {
        if count == 0 { spool.bytes.append(contentsOf: "[]\n".utf8) }
        try spool.drain()
        try spool.sink.flush()
    }
}
