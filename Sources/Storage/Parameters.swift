internal import CSQLite
internal import JSON

/// The values of one run of a statement that answers no rows.
///
/// Texts gather in one buffer that is lent to SQLite for the run: writing a record then allocates
/// nothing. Parameters count from 1, and every one must be bound: earlier values stay otherwise.
struct Parameters {
    private var buffer: [UInt8] = []
    private var texts: [Text] = []
    private var handle: OpaquePointer?

    private struct Text {
        var parameter: Int32
        var start: Int
        var count: Int
    }

    /// Begins the values of `statement`.
    @inline(__always)
    mutating func begin(_ statement: borrowing Statement) {
        handle = statement.handle
        // One huge record must not hold its size for good.
        buffer.removeAll(keepingCapacity: buffer.capacity < 1 << 20)
        // Where nothing is an empty text would have no address, and be null.
        buffer.append(0)
        texts.removeAll(keepingCapacity: true)
    }

    /// Runs the statement to its end.
    @inline(__always)
    func run(_ statement: borrowing Statement) throws(StoreError) {
        defer { statement.reset() }
        try buffer.span.withUnsafeBytes { (bytes) throws(StoreError) in
            let base = bytes.bindMemory(to: CChar.self).baseAddress
            for text in texts {
                // Without a destructor SQLite takes no copy: the buffer outlives the run, and
                // whatever runs the statement again binds anew.
                let code = sqlite3_bind_text64(
                    handle, text.parameter, base.map { $0 + text.start },
                    UInt64(text.count), nil, UInt8(SQLITE_UTF8))
                if code != SQLITE_OK { throw statement.failure(code) }
            }
            while try statement.step() {}
        }
    }
}

extension Parameters {
    @inline(__always)
    mutating func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

    @inline(__always)
    mutating func bind(_ index: Int32, _ value: Double) {
        sqlite3_bind_double(handle, index, value)
    }

    @inline(__always)
    mutating func bind(_ index: Int32, _ value: Bool) { bind(index, value ? 1 : 0 as Int64) }

    @inline(__always)
    mutating func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    @inline(__always)
    mutating func bind(_ index: Int32, _ text: String) {
        let start = buffer.count
        text.utf8Span.span.withUnsafeBytes { buffer.append(contentsOf: $0) }
        texts.append(Text(parameter: index, start: start, count: buffer.count - start))
    }

    mutating func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    mutating func bind(_ index: Int32, _ text: String?) {
        if let text { bind(index, text) } else { bindNull(index) }
    }

    /// Binds the value's JSON text; nil is SQL's null, while JSON's null is a text.
    mutating func bind(_ index: Int32, json value: JSONValue?) {
        guard let value else { return bindNull(index) }
        let start = buffer.count
        value.write(into: &buffer)
        texts.append(Text(parameter: index, start: start, count: buffer.count - start))
    }

    mutating func bind(_ index: Int32, json object: JSONObject?) {
        guard let object else { return bindNull(index) }
        let start = buffer.count
        object.write(into: &buffer)
        texts.append(Text(parameter: index, start: start, count: buffer.count - start))
    }
}
