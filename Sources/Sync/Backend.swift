package import Records

/// A backend as the engine sees it: one remote data set, asked one question at a time.
///
/// Calls block until answered, until the conformer's deadline, or until it is told to stop.
/// A conformer is confined to one thread.
package protocol Backend: AnyObject {
    /// What messages call it, such as "plugin folder".
    var title: String { get }

    /// What the backend can do; asks it first if that is not known yet.
    func capabilities() throws(BackendError) -> Capabilities

    /// Names the remote data set; nil when the backend cannot tell.
    func identity() throws(BackendError) -> String?

    /// Returns when the backend itself has answered.
    func ping() throws(BackendError)

    /// One page of the model's records after the request's cursor.
    func pull(_ request: PullRequest) throws(BackendError) -> PullPage

    /// May begin to answer `request` now; a `pull` with an equal request then collects it.
    func prefetch(_ request: PullRequest)

    /// The present state of some records; one that is not there comes back as deleted.
    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord]

    /// Offers operations; sending one key twice must have the effect of sending it once where
    /// the backend declares that it deduplicates keys.
    ///
    /// - Returns: The verdict by key; a key without one has an unknown outcome.
    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome]

    /// As `push`; `meanwhile` is called once while the backend works, or not at all.
    func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome]

    /// Asks for events from now on; `nextEvents` then returns them.
    func subscribe(models: [String]) throws(BackendError)

    /// Events that have arrived, oldest first; never waits.
    func nextEvents() throws(BackendError) -> [RemoteEvent]
}

extension Backend {
    package var title: String { "the backend" }
    package func prefetch(_ request: PullRequest) {}
    package func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        try push(operations)
    }
    package func subscribe(models: [String]) throws(BackendError) {
        throw BackendError(.unsupported, "the backend sends no events")
    }
    package func nextEvents() throws(BackendError) -> [RemoteEvent] { [] }
}
