internal import CSQLite
internal import Glibc

/// Decides when what is in the write-ahead log moves into the file.
///
/// SQLite's own rule checkpoints inside a commit every 1,000 pages and again whenever a connection
/// closes. Bulk writes want it rarer, and a command that wrote one record wants no second wait for
/// the disk; yet whoever opens the store first reads the whole log, so it must not stay long.
final class WriteAheadLog {
    /// Of a page, the store's size of one.
    static let frameBytes = 8_192
    /// Left in the log by a process that ends: 32 pages are read back in 0.1 ms.
    static let smallFrames = 32
    /// Moved within a process at the first commit past this: 16 MiB.
    static let manyFrames = 2_048

    /// Found at opening: beside a busy process it may be this long for a while.
    static let abandonedFrames = 512

    private(set) var frames = 0

    /// Counts from now on; this object must outlive the connection.
    func install(on connection: borrowing Connection) {
        _ = satchel_no_checkpoint_on_close(connection.handle)
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, frames in
                if let context {
                    let log = Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue()
                    log.frames = Int(frames)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Counts what a process that was killed may have left behind: somebody must shorten it.
    func measure(beside path: String) {
        var info = stat()
        guard stat("\(path)-wal", &info) == 0 else { return }
        let found = Int(info.st_size) / Self.frameBytes
        if found > Self.abandonedFrames { frames = found }
    }

    /// Called after each commit: readers never wait for it, and it never waits for them.
    func checkpointIfLong(_ connection: borrowing Connection) {
        if frames >= Self.manyFrames { checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE) }
    }

    /// Leaves a short log to the next process, without waiting for anybody.
    func shorten(_ connection: borrowing Connection) {
        guard frames > Self.smallFrames else { return }
        sqlite3_busy_handler(connection.handle, nil, nil)
        checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE)
    }

    @discardableResult
    func checkpoint(_ connection: borrowing Connection, _ mode: Int32) -> Int32 {
        var left: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, &left, &moved)
        if code == SQLITE_OK, left == moved { frames = 0 }
        return code
    }
}
