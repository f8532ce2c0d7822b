internal import CSQLite

/// What filters and the quarantine need and SQLite lacks.
enum SQLFunctions {
    static func install(on connection: borrowing Connection) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        sqlite3_create_function_v2(
            connection.handle, "satchel_instant", 2, flags, nil,
            { context, _, values in SQLFunctions.instant(context, values) }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection.handle, "satchel_contains", 2, flags, nil,
            { context, _, values in SQLFunctions.contains(context, values) }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection.handle, "satchel_digest", 2, flags, nil,
            { context, _, values in SQLFunctions.digest(context, values) }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection.handle, "satchel_real", 1, flags, nil,
            { context, _, values in
                guard let values else { return sqlite3_result_null(context) }
                let bits = UInt64(bitPattern: sqlite3_value_int64(values[0]))
                sqlite3_result_double(context, Double(bitPattern: bits))
            }, nil, nil, nil)
    }

    /// `satchel_instant(text, kind)`: the text's key; null for null.
    private static func instant(
        _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let values, let text = bytes(values[0]),
            let kind = InstantKey.Kind(rawValue: sqlite3_value_int(values[1]))
        else { return sqlite3_result_null(context) }
        withUnsafeTemporaryAllocation(byteCount: InstantKey.length, alignment: 1) { key in
            if InstantKey.write(text, kind, to: key) {
                satchel_result_text(
                    context, key.bindMemory(to: CChar.self).baseAddress, UInt64(key.count))
            } else {
                let key = [UInt8(ascii: "~")] + Array(text)
                key.span.withUnsafeBytes { bytes in
                    satchel_result_text(
                        context, bytes.bindMemory(to: CChar.self).baseAddress, UInt64(bytes.count))
                }
            }
        }
    }

    /// `satchel_contains(text, folded)`: null for null.
    private static func contains(
        _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let values, let text = bytes(values[0]), let wanted = bytes(values[1]) else {
            return sqlite3_result_null(context)
        }
        sqlite3_result_int(context, Substring.isIn(text, folded: wanted) ? 1 : 0)
    }

    /// `satchel_digest(text, key)`: null for null.
    ///
    /// A migration runs it: it never changes.
    private static func digest(
        _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let values, let text = bytes(values[0]) else { return sqlite3_result_null(context) }
        sqlite3_result_int64(context, TextDigest.of(text, key: sqlite3_value_int64(values[1])))
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}
