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
    /// False while a part of a batch runs that no savepoint guards.
    var isGuarded = true
    /// Rows changed on this connection when the running unguarded part began.
    var changesBefore: Int64 = 0
    /// Why the whole transaction is given up though only a part of it failed.
    var lost: StoreError?
}
