/// The prompt's background sync, as the commands see it.
package final class SyncWorker {
    /// The state of the network as it was last told.
    package private(set) var network: String?

    package init() {}

    package func setPaused(_ isPaused: Bool) {}
}
