package import JSON

/// Rows as YAML: a sequence of mappings, or one mapping; see `YAMLWriter` for the subset.
package struct YAMLRows: RowSink {
    private let isSingle: Bool
    private var spool: Spool
    private var columns = Columns([])
    private var scratch: [UInt8] = []
    private var count = 0

    package init(isSingle: Bool, to sink: any ByteSink) {
        self.isSingle = isSingle
        spool = Spool(sink)
    }

    package mutating func begin(_ columns: Columns) throws(ShellError) {
        self.columns = columns
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError) {
        count += 1
        // By way of JSON, which has the fields that the schema does not know as well.
        scratch.removeAll(keepingCapacity: true)
        try row.appendJSON(columns, to: &scratch)
        var object = try record()
        for column in columns.list {
            guard case .included(let place) = column.source else { continue }
            object.append(column.name, place < included.count ? included[place] : .null)
        }
        if isSingle {
            YAMLWriter.append(.object(object), to: &spool.bytes)
        } else {
            YAMLWriter.append(.array([.object(object)]), to: &spool.bytes)
        }
        try spool.pour()
    }

    package mutating func end(total: Int?) throws(ShellError) {
        if count == 0 { spool.bytes.append(contentsOf: "[]\n".utf8) }
        try spool.flush()
    }

    private func record() throws(ShellError) -> JSONObject {
        do throws(JSONError) {
            return try JSONValue.parse(scratch).members ?? JSONObject()
        } catch {
            throw ShellError(.failed, "a record cannot be read back: \(error.message)")
        }
    }
}
