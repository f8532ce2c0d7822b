package struct Capabilities: Sendable, Equatable {
    package enum Idempotency: String, Sendable { case key, conditional, none }

    package var pushes: Bool = false
    package var idempotency: Idempotency = .none
    /// Operations a push may hold.
    package var batch: Int = 1
    /// Bytes a push may hold; 0 for no bound but the protocol's.
    package var batchBytes: Int = 0
    /// A push takes the operations of one group whole, or none of them.
    ///
    /// Nothing is made of it: each gets its verdict all the same, and a group may be longer than a
    /// push.
    package var isAtomic: Bool = false
    package var assignsIDs: Bool = false
    package var hasDelta: Bool = false
    package var hasTombstones: Bool = false
    package var hasSnapshot: Bool = false
    /// Records a page may hold; 0 for no bound.
    package var page: Int = 0
    package var filterOperators: [String] = []
    package var hasEvents: Bool = false
    package var answersPing: Bool = false
    package var hasFetch: Bool = true

    package init() {}
}
