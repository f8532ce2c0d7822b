internal import CSQLite

/// An open SQLite database; closed when it goes out of use.
///
/// It belongs to one thread: SQLite's own mutexes are off.
struct Connection: ~Copyable {
    let handle: OpaquePointer

    /// Opens the file at `path`, or with `isNew` creates it; nothing is read from it yet.
    init(path: String, isNew: Bool) throws(StoreError) {
        _ = Self.configured
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            | (isNew ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = StoreError(sqlite: code, on: opened, doing: "open \(path)")
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit { sqlite3_close_v2(handle) }

    /// Statistics cost a lock at every allocation; too late, harmlessly, once SQLite is in use.
    private static let configured: Int32 = satchel_disable_memory_statistics()

    /// Runs statements that take no values and whose rows nobody wants.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw StoreError(sqlite: code, on: handle, doing: "run \(sql.prefix(60))")
        }
    }

    /// Compiles one statement; one that `isKept` is to be run many times.
    func prepare(_ sql: String, isKept: Bool) throws(StoreError) -> Statement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw StoreError(sqlite: code, on: handle, doing: "prepare \(sql.prefix(60))")
        }
        return Statement(taking: prepared)
    }

    /// True outside transactions, also after SQLite itself ended a failed one.
    var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// True once the file that is open is no longer the one at its path: deleted, renamed, replaced.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &moved)
        return code == SQLITE_OK && moved != 0
    }

    /// Rows the last statement inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Rows changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}
