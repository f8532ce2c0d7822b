/// Why the store could not do what was asked.
package struct StoreError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Other processes kept the store locked past the deadline.
        case busy
        /// The disk, or memory, has no room; what was asked is not done.
        case full
        /// The file cannot be read as a store.
        case damaged
        /// A value in a sound file is not what was written there.
        case illegible
        /// A newer Satchel wrote the store, or changed its tables under this process.
        case newer
        case notFound
        case permission
        /// The user, or the command's deadline, ended the wait.
        case interrupted
        /// The store is closed, or a failure undid the running transaction.
        case closed
        /// The caller asked for what cannot be: a fault of the program.
        case misuse
    }

    package var kind: Kind
    /// What failed, on which thing.
    package var message: String
    /// What to do next.
    package var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}
