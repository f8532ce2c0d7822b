/// What a store keeps beside its data: the keys of the table `meta`.
package enum MetaKey: String, Sendable, CaseIterable {
    /// The number of the last migration.
    case storeVersion = "store_version"
    /// How the model tables are laid out.
    case layout
    /// The schema that the tables were made for, and the hash it is known by.
    case schema
    case schemaHash = "schema_hash"
    /// There while data in quarantine is due for another look after a schema change.
    case quarantineDue = "quarantine_due"
    /// The number by which the bytes of quarantined items without an id are digested; never changes.
    case quarantineKey = "quarantine_key"
    /// The remote data set that the store belongs to.
    case identity
    /// What the backend calls this store.
    case client
    /// There when the backend takes no changes.
    case readOnly = "read_only"
    /// Why and until when the context waits, as JSON.
    case pause
    /// There when the user has stopped syncing.
    case paused
    /// How the backend was last reached, and what went wrong then.
    case network
    case lastError = "last_error"
}
