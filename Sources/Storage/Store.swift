internal import CSQLite
internal import Glibc
internal import Platform
package import Records

/// One context's data on disk: records, queue, cursors, change feed.
///
/// A store belongs to one thread; any number of stores, in any processes, may share a file. What
/// is written outside `write` and `beginBatch` is a transaction of its own.
package final class Store {
    package let schema: Schema
    let options: StoreOptions
    let connection: Connection
    let busy: BusyPolicy
    let path: String
    /// Of the schema, and of the way it is laid out.
    let schemaHash: String
    var transaction = Transaction()
    var statements = StatementCache()
    var parameters = Parameters()
    /// One a model of the schema, in its order.
    var tables: [ModelTable]
    /// False until the tables are those of the schema.
    private(set) var isAdopted = false
    /// Mutations that did not fit the schema when this opened the store, and were parked.
    package internal(set) var parked = 0
    var due: DueMemory?
    /// Frames in the write-ahead log after the last commit.
    let log = WriteAheadLog()

    /// Opens the store at `path`, in a folder that must exist, or creates it for its owner only.
    ///
    /// `schemaHash` differs whenever the schema does; where it is not the stored one the model
    /// tables are brought to `schema`, and `options.adopt` the queue, all of it or nothing.
    ///
    /// - Throws: Kind `.newer` for a file of a later Satchel, `.damaged` for one that is no store.
    package init(
        path: String, schema: Schema, schemaHash: String,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        self.schema = schema
        self.schemaHash = "\(schemaHash) \(ModelLayout.version)"
        self.options = options
        self.path = path
        let isNew = path == ":memory:" ? true : try Self.createFile(path)
        connection = try Connection(path: path, isNew: isNew)
        busy = BusyPolicy(
            timeoutMilliseconds: options.busyTimeoutMilliseconds,
            isInterrupted: options.isInterrupted)
        tables = ModelTable.tables(of: schema)
        busy.install(on: connection)
        try configure(isNew: isNew)
        try migrate()
        isAdopted = true
    }

    /// A store that lives and dies with this object.
    package convenience init(
        inMemory schema: Schema, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        try self.init(path: ":memory:", schema: schema, schemaHash: "memory", options: options)
    }

    deinit {
        if transaction.mode == .none, options.isDurable { log.shorten(connection) }
        statements.removeAll()
        tables.removeAll()
    }

    /// Moves all that is committed from the write-ahead log into the file itself.
    package func checkpoint() throws(StoreError) {
        let code = log.checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE)
        guard code == SQLITE_OK || code == SQLITE_BUSY else {
            throw StoreError(sqlite: code, on: connection.handle, doing: "checkpoint \(path)")
        }
    }

    /// Makes an empty file that only its owner can read; SQLite gives its companions the same mode.
    ///
    /// - Returns: True when nobody has written to the file yet.
    private static func createFile(_ path: String) throws(StoreError) -> Bool {
        var info = stat()
        if stat(path, &info) == 0 { return info.st_size == 0 }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let error = SystemError("create the store \(path)", code: errno)
            switch error.kind {
            case .noSpace: throw StoreError(.full, error.message)
            case .notFound: throw StoreError(.notFound, error.message)
            default: throw StoreError(.permission, error.message)
            }
        }
        close(file)
        return true
    }

    private func configure(isNew: Bool) throws(StoreError) {
        if isNew {
            // The page size can only be chosen before the first page is written. Twice SQLite's own
            // halves what a bulk write asks of the system, and leaves single ones as they are.
            try connection.execute("PRAGMA page_size = 8192")
            try retryingWhileBusy { () throws(StoreError) in
                try connection.execute("PRAGMA journal_mode = WAL")
            }
        }
        try connection.execute(
            options.isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF")
        try connection.execute("PRAGMA cache_size = -8000")
        try connection.execute("PRAGMA journal_size_limit = 8388608")
        log.install(on: connection)
        if !isNew { log.measure(beside: path) }
        SQLFunctions.install(on: connection)
    }

    /// Switching to write-ahead logging does not ask the busy handler.
    private func retryingWhileBusy(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        var attempt: Int32 = 0
        while true {
            do throws(StoreError) {
                return try body()
            } catch {
                guard error.kind == .busy, busy.wait(attempt: attempt) else { throw error }
                attempt += 1
            }
        }
    }
}
