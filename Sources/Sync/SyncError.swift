package import Storage

/// Why a sync could not go on.
package enum SyncError: Error, Equatable, Sendable {
    case store(StoreError)
    case backend(BackendError)
    /// The store belongs to another remote data set: nothing was sent or taken.
    case identityChanged(known: String, found: String)
    /// A full pull would remove this many of the model's clean records: nothing was removed.
    case deletionsRefused(model: String, count: Int, of: Int)
    /// Another process pushes; its pid.
    case leaseHeld(pid: Int32)
}

/// Runs store work under the sync module's error.
func stored<T>(_ body: () throws(StoreError) -> T) throws(SyncError) -> T {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
}

/// Asks the backend under the sync module's error.
func asked<T>(_ body: () throws(BackendError) -> T) throws(SyncError) -> T {
    do throws(BackendError) { return try body() } catch { throw .backend(error) }
}
