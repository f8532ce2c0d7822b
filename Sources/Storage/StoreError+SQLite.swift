internal import CSQLite
internal import Platform

extension StoreError {
    /// Reads SQLite's account of the call that just failed on `handle`.
    init(sqlite code: Int32, on handle: OpaquePointer?, doing task: String) {
        let reason = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no reason given"
        let system = SystemError(task, code: handle.map { sqlite3_system_errno($0) } ?? 0)
        let message = "cannot \(task): \(reason)"
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(
                .busy, "\(message) by another process",
                hint: "try again, or give it more time with --timeout")
        case SQLITE_FULL: self.init(.full, message, hint: Self.spaceHint)
        case SQLITE_NOMEM: self.init(.full, message)
        case SQLITE_INTERRUPT: self.init(.interrupted, message)
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
            self.init(.damaged, message, hint: "keep a copy of the file before you mend it")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: self.init(.permission, message)
        case SQLITE_CANTOPEN, SQLITE_IOERR: self.init(system, "\(message): \(system.words)")
        default: self.init(.misuse, message)
        }
    }

    private init(_ system: SystemError, _ message: String) {
        switch system.kind {
        case .noSpace, .tooLarge: self.init(.full, message, hint: Self.spaceHint)
        case .permission: self.init(.permission, message)
        case .notFound: self.init(.notFound, message)
        default: self.init(.damaged, message)
        }
    }

    private static let spaceHint = "free some space, then try again: nothing was lost"
}

extension SystemError {
    fileprivate var words: String { Self.words(for: code) }
}
