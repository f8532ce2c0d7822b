/// What transaction a store is in.
struct Transaction {
    enum Mode: Equatable { case none, read, write, batch }

    var mode = Mode.none
    /// Open savepoints.
    var depth = 0
    /// The place of the next mutation, once it is known; no other process can take it meanwhile.
    var nextMutation: Int64?
    /// The place of the first line this transaction wrote to the change feed.
    var firstChange: Int64?
    /// Why SQLite gave up the whole transaction though only a step of it failed.
    var lost: StoreError?
}
