package import Records

/// How a store behaves towards its surroundings.
package struct StoreOptions {
    /// How long to wait for other processes' locks.
    package var busyTimeoutMilliseconds: Int
    /// Asked while waiting for a lock and during long queries: true ends them.
    package var isInterrupted: @Sendable () -> Bool
    /// Called before each step that can fail, in tests: what it throws is the step's outcome.
    package var faults: ((StorePoint) throws(StoreError) -> Void)?
    /// False skips waiting for the disk: for simulations only.
    package var isDurable: Bool
    /// Brings the queue to another schema, in the transaction that brings the tables to it, and
    /// says how many mutations were parked; nil leaves the queue as it is.
    package var adopt: Adopt?

    package typealias Adopt = (Store, SchemaChange) throws(StoreError) -> Int

    package init(
        busyTimeoutMilliseconds: Int = 5_000,
        isInterrupted: @escaping @Sendable () -> Bool = { false },
        isDurable: Bool = true, adopt: Adopt? = nil,
        faults: ((StorePoint) throws(StoreError) -> Void)? = nil
    ) {
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.isInterrupted = isInterrupted
        self.isDurable = isDurable
        self.adopt = adopt
        self.faults = faults
    }
}

/// Where a test may make the store fail.
package enum StorePoint: Equatable, Sendable {
    /// A write transaction is about to begin.
    case begin
    /// A statement is about to run.
    case statement
    /// The outermost transaction is about to commit: an error rolls it back.
    case commit
    /// The outermost transaction is durable: an error reaches the caller all the same.
    case committed
}
