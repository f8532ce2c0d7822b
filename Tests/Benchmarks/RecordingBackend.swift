import Plugins
import Records
import Sync

/// Passes on what is pulled, and keeps it.
final class RecordingBackend: Backend {
    let inner: PluginBackend
    /// Ends the pull once so many records came.
    private let bound: Int
    /// False lets each page go, as a pull does: what is kept takes ever new memory.
    private let isKeeping: Bool
    private(set) var pages: [PullPage] = []
    private(set) var records = 0
    private(set) var able = Capabilities()

    init(inner: PluginBackend, bound: Int, isKeeping: Bool) {
        self.inner = inner
        self.bound = bound
        self.isKeeping = isKeeping
    }

    func capabilities() throws(BackendError) -> Capabilities {
        able = try inner.capabilities()
        return able
    }

    func identity() throws(BackendError) -> String? { try inner.identity() }
    func ping() throws(BackendError) { try inner.ping() }
    /// Nothing: where the plugin is at work as well, two threads of one core slow each other down, and
    /// that would be counted as the host's own time.
    func prefetch(_ request: PullRequest) {}

    func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        var page = try inner.pull(request)
        records += page.records.count
        if records >= bound { page.more = false }
        if isKeeping { pages.append(page) }
        return page
    }

    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] {
        try inner.fetch(model: model, ids: ids)
    }

    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] {
        try inner.push(operations)
    }
    func push(
        _ operations: [PushOperation], meanwhile: () -> Void
    ) throws(BackendError) -> [String: PushOutcome] {
        try inner.push(operations, meanwhile: meanwhile)
    }
}

/// Gives the kept pages once more, with no program between.
final class ReplayingBackend: Backend {
    private let pages: [PullPage]
    private let able: Capabilities
    private var next = 0

    init(_ recorder: RecordingBackend) {
        pages = recorder.pages
        able = recorder.able
    }

    func capabilities() throws(BackendError) -> Capabilities { able }
    func identity() throws(BackendError) -> String? { nil }
    func ping() throws(BackendError) {}

    func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        defer { next += 1 }
        return pages[next]
    }

    func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] { [] }
    func push(_ operations: [PushOperation]) throws(BackendError) -> [String: PushOutcome] { [:] }
}
