internal import Glibc

extension Store {
    /// How many mutations of every state a store's queue holds, without opening it for work.
    ///
    /// The schema is not needed, and nothing in the file changes.
    ///
    /// - Returns: 0 where there is no store at `path`.
    /// - Throws: Kind `.damaged` for a file that is no store.
    package static func queueLength(at path: String) throws(StoreError) -> Int {
        var info = stat()
        guard stat(path, &info) == 0, info.st_size > 0 else { return 0 }
        let connection = try Connection(path: path, isNew: false)
        try connection.execute("PRAGMA busy_timeout = 5000")
        let hasQueue = try connection.prepare(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'mutation'",
            isKept: false)
        guard try hasQueue.step() else { return 0 }
        let count = try connection.prepare("SELECT count(*) FROM mutation", isKept: false)
        return try count.step() ? Int(count.integer(0)) : 0
    }
}
