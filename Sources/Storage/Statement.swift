internal import CSQLite
internal import JSON

/// A prepared statement; finalised when it goes out of use.
///
/// Parameters count from 1, columns from 0. Texts are bound and read by their length, so that one
/// with a NUL inside survives.
struct Statement: ~Copyable {
    let handle: OpaquePointer

    init(taking handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Advances to the next row.
    ///
    /// - Returns: False when there is none.
    @inline(__always)
    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw failure(code)
        }
    }

    /// Makes the statement ready to run again; its values stay bound.
    @inline(__always)
    func reset() { sqlite3_reset(handle) }

    func failure(_ code: Int32) -> StoreError {
        let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
        return StoreError(
            sqlite: code, on: sqlite3_db_handle(handle), doing: "run \(sql.prefix(60))")
    }

    @inline(__always)
    private func check(_ code: Int32) throws(StoreError) {
        if code != SQLITE_OK { throw failure(code) }
    }
}

// Values
extension Statement {
    @inline(__always)
    func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    @inline(__always)
    func bind(_ index: Int32, _ value: Double) throws(StoreError) {
        try check(sqlite3_bind_double(handle, index, value))
    }

    @inline(__always)
    func bind(_ index: Int32, _ text: String) throws(StoreError) {
        try check(
            text.utf8Span.span.withUnsafeBytes { bytes in
                satchel_bind_text(
                    handle, index, bytes.bindMemory(to: CChar.self).baseAddress,
                    UInt64(bytes.count))
            })
    }

    @inline(__always)
    func bind(_ index: Int32, text: UnsafeRawBufferPointer) throws(StoreError) {
        try check(
            satchel_bind_text(
                handle, index, text.bindMemory(to: CChar.self).baseAddress, UInt64(text.count)))
    }

    @inline(__always)
    func bindNull(_ index: Int32) throws(StoreError) {
        try check(sqlite3_bind_null(handle, index))
    }

    func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
        if let value { try bind(index, value) } else { try bindNull(index) }
    }

    func bind(_ index: Int32, _ text: String?) throws(StoreError) {
        if let text { try bind(index, text) } else { try bindNull(index) }
    }

    func bind(_ index: Int32, _ value: Bool) throws(StoreError) {
        try bind(index, value ? 1 : 0 as Int64)
    }

    /// Binds the value's JSON text; nil is SQL's null, while JSON's null is a text.
    func bind(_ index: Int32, json value: JSONValue?) throws(StoreError) {
        guard let value else { return try bindNull(index) }
        var bytes: [UInt8] = []
        value.write(into: &bytes)
        try bind(index, bytes)
    }

    func bind(_ index: Int32, json object: JSONObject?) throws(StoreError) {
        guard let object else { return try bindNull(index) }
        var bytes: [UInt8] = []
        object.write(into: &bytes)
        try bind(index, bytes)
    }

    func bind(_ index: Int32, _ text: [UInt8]) throws(StoreError) {
        try check(
            text.span.withUnsafeBytes { bytes in
                satchel_bind_text(
                    handle, index, bytes.bindMemory(to: CChar.self).baseAddress,
                    UInt64(bytes.count))
            })
    }
}
