internal import CSQLite
internal import JSON

extension Row {
    /// Appends the record as a JSON object, straight from the row's bytes.
    ///
    /// `fields` are places in the model, in the order wanted; nil stands for the whole record with
    /// its unknown fields. `meta` adds `_version` and `_state`.
    package func appendJSON(
        fields: [Int]? = nil, meta: Bool = false, to output: inout [UInt8]
    ) throws(StoreError) {
        // Where the extra column holds something it may overrule any field: the slow way.
        if sqlite3_column_type(handle, 2) != SQLITE_NULL {
            return try appendWithExtra(fields: fields, meta: meta, to: &output)
        }
        output.append(UInt8(ascii: "{"))
        if let fields {
            for field in fields { appendField(field, to: &output) }
        } else {
            for field in context.layout.columns.indices { appendField(field, to: &output) }
        }
        try end(meta: meta, to: &output)
    }

    /// Members end with a comma here; the last one becomes the closing brace.
    private func end(meta: Bool, to output: inout [UInt8]) throws(StoreError) {
        if meta {
            output.append(contentsOf: #""_version":"#.utf8)
            if sqlite3_column_type(handle, 1) == SQLITE_NULL {
                output.append(contentsOf: "null".utf8)
            } else {
                output.append(contentsOf: StoredRow.bytes(handle, 1))
            }
            output.append(contentsOf: #","_state":"#.utf8)
            JSONWriter.appendString(try state(), to: &output)
            output.append(UInt8(ascii: "}"))
        } else if output.last == UInt8(ascii: ",") {
            output[output.count - 1] = UInt8(ascii: "}")
        } else {
            output.append(UInt8(ascii: "}"))
        }
    }

    @inline(__always)
    private func appendField(_ field: Int, to output: inout [UInt8]) {
        let index = context.position(of: field)
        output.append(contentsOf: context.labels[field])
        let type = sqlite3_column_type(handle, index)
        switch (context.layout.columns[field].encoding, type) {
        case (_, SQLITE_NULL): output.append(contentsOf: "null".utf8)
        case (.text, _): JSONWriter.appendString(StoredRow.bytes(handle, index), to: &output)
        case (.number, SQLITE_INTEGER):
            JSONWriter.append(sqlite3_column_int64(handle, index), to: &output)
        case (.number, _): JSONWriter.append(sqlite3_column_double(handle, index), to: &output)
        case (.boolean, _):
            let isTrue = sqlite3_column_int(handle, index) != 0
            output.append(contentsOf: isTrue ? "true".utf8 : "false".utf8)
        case (.json, _): output.append(contentsOf: StoredRow.bytes(handle, index))
        }
        output.append(UInt8(ascii: ","))
    }

    private func appendWithExtra(
        fields: [Int]?, meta: Bool, to output: inout [UInt8]
    ) throws(StoreError) {
        output.append(UInt8(ascii: "{"))
        if let fields {
            for field in fields {
                output.append(contentsOf: context.labels[field])
                try value(at: field).write(into: &output)
                output.append(UInt8(ascii: ","))
            }
        } else {
            // What is Satchel's own in its output no backend's field can pose as.
            for (key, value) in try record().pairs where key != "_version" && key != "_state" {
                JSONWriter.appendString(key, to: &output)
                output.append(UInt8(ascii: ":"))
                value.write(into: &output)
                output.append(UInt8(ascii: ","))
            }
        }
        try end(meta: meta, to: &output)
    }
}
