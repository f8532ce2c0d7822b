package import JSON

/// Writes what `export` gives: `{"model":..,"record":..}` a line.
package struct ExportWriter {
    private var spool: Spool
    private var prefix: [UInt8] = []
    private var columns = Columns([])

    package init(to sink: any ByteSink) { spool = Spool(sink) }

    /// Rows that follow are of this model, its columns as given.
    package mutating func begin(model: String, columns: Columns) {
        self.columns = columns
        prefix = Array("{\"model\":".utf8)
        JSONWriter.appendString(model, to: &prefix)
        prefix.append(contentsOf: ",\"record\":".utf8)
    }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row
    ) throws(ShellError) {
        spool.bytes.append(contentsOf: prefix)
        try row.appendJSON(columns, to: &spool.bytes)
        spool.bytes.append(contentsOf: "}\n".utf8)
        try spool.pour()
    }

    package mutating func end() throws(ShellError) { try spool.flush() }
}

/// Reads what `export` wrote.
package final class ExportReader {
    private let lines: JSONLinesReader

    package var line: Int { lines.line }

    package init(_ source: any ByteSource) { lines = JSONLinesReader(source) }

    /// The next record and the name of its model; nil at the end.
    package func next() throws(ShellError) -> (model: String, record: JSONObject)? {
        guard let object = try lines.next() else { return nil }
        guard case .string(let model)? = object["model"],
            case .object(let record)? = object["record"]
        else {
            throw ShellError(
                .input, "no line of an export: it has no \"model\" and \"record\"",
                hint: "import MODEL FILE reads the records of one model", line: line)
        }
        return (model, record)
    }
}
