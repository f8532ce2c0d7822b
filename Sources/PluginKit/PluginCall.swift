package import JSON
package import Platform

/// One request while it is worked on: whether it is still wanted, and how far it got.
package final class PluginCall {
    /// The request's id.
    package let id: JSONValue
    package let host: PluginHost
    private let inbox: PluginInbox?
    private let clock: Clock
    private var nextLook: Int64 = 0
    private var nextReport: Int64
    private let patience: Int64
    private var ended = false

    package init(
        id: JSONValue, host: PluginHost, inbox: PluginInbox? = nil, clock: Clock = .system
    ) {
        self.id = id
        self.host = host
        self.inbox = inbox
        self.clock = clock
        nextReport = clock.monotonic() + 1000
        patience = nextReport
    }

    /// True once the host has cancelled this request or gone away; cheap enough to ask per record.
    package var isCancelled: Bool {
        guard !ended, let inbox else { return ended }
        let now = clock.monotonic()
        guard now >= nextLook else { return false }
        nextLook = now + 50
        // A host that hung up may yet read the answer, if it comes soon.
        ended = inbox.holdsCancel(of: id) || (inbox.hungUp && now >= patience)
        return ended
    }

    package func checkCancelled() throws(PluginError) {
        if isCancelled { throw .cancelled }
    }

    /// The descriptor that becomes readable when the host says something, for a plugin that waits
    /// on others.
    package var input: Int32? { inbox?.descriptor }

    /// Reports how far the request got, at most once a second.
    ///
    /// - Parameters:
    ///   - done: Steps taken, such as records read.
    ///   - total: Steps in all; nil when not known.
    package func progress(_ done: Int, of total: Int? = nil) {
        let now = clock.monotonic()
        guard now >= nextReport else { return }
        nextReport = now + 1000
        host.progress(id: id, done: done, total: total)
    }
}
