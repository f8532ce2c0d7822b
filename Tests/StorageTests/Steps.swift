import CSQLite
import Testing

@testable import Storage

extension Store {
    /// How many steps SQLite's machine takes for `body`.
    func steps(_ body: () throws(StoreError) -> Void) throws(StoreError) -> Int {
        final class Count { var steps = 0 }
        let count = Count()
        sqlite3_progress_handler(
            connection.handle, 1,
            { context in
                guard let context else { return 0 }
                Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().steps += 1
                return 0
            }, Unmanaged.passUnretained(count).toOpaque())
        defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
        try body()
        return count.steps
    }
}
