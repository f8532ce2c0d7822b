package import JSON
internal import Platform
package import PluginKit
internal import Records

/// A directory as a backend: JSON files that a person can read, versions, a log, a lock.
package final class FolderBackend: PluginHandler {
    package let name = "folder"
    package let version = "1.0"
    package let summary = "keeps records as JSON files in a directory"

    /// Records a page may hold.
    static let page = 5000

    var host: PluginHost?
    var setup = PluginSetup()
    /// The models of whoever writes, as far as they can be understood.
    var schema = Schema()
    /// The folder, from the first time it could be reached.
    var folder: Folder?
    /// When the latest push is to be settled if no other follows; nil when all is.
    var settleTime: Int64?
    var keys = KeyIndex()
    var rulebook = Rulebook()
    var snapshot: Snapshot?
    var watch: LogWatch?

    package init() {}

    package func initialize(
        _ setup: PluginSetup, host: PluginHost
    ) throws(PluginError) -> PluginWelcome {
        self.host = host
        self.setup = setup
        do throws(PluginError) { schema = try setup.schema() } catch {
            // Records are kept all the same, as they come.
            host.log(.warning, error.message)
        }
        let folder = try Folder.open(try path(), knownIdentity: setup.knownIdentity)
        self.folder = folder
        return PluginWelcome(
            capabilities: PluginCapabilities(
                push: .init(idempotency: .key, batch: 500, bytes: 8 << 20, isPartial: true),
                pull: .init(
                    hasDelta: true, hasTombstones: true, hasSnapshot: true, page: Self.page),
                sendsEvents: folder.isOnThisMachine, answersPing: true),
            identity: folder.marker.identity)
    }

    package func ping(_ call: PluginCall) throws(PluginError) { _ = try reach() }

    package func configure(
        answers: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> PluginQuestion {
        guard let path = answers["path"]?.text, !path.isEmpty else {
            return .ask(
                key: "path", label: "Directory that holds the records",
                help: "made if it is missing; a relative one starts at the workspace")
        }
        return .done(config: JSONObject([("path", .string(path))]))
    }

    package func idle() -> PluginIdle {
        if let snapshot, snapshot.prepareAhead() { return .again }
        guard let settleTime else { return .done }
        let left = settleTime - Clock.system.monotonic()
        if left > 0 { return .later(milliseconds: left) }
        settle()
        return .done
    }

    package func finish() { settle() }

    /// The folder as it is now; a drive may have been pulled out, or put back in.
    func reach() throws(PluginError) -> Folder {
        if let folder, folder.isInPlace { return folder }
        let known = folder?.marker.identity ?? setup.knownIdentity
        let found = try Folder.open(try path(), knownIdentity: known)
        if let folder, found.marker != folder.marker {
            throw PluginError(
                .permanent, "another folder stands at \(folder.path) now",
                hint: "sync again to see what it is")
        }
        forget()
        folder = found
        return found
    }

    /// Drops what is known of the folder's content.
    private func forget() {
        keys = KeyIndex()
        rulebook = Rulebook()
        snapshot = nil
        watch = nil
    }

    /// Has what the latest pushes wrote reach the disk.
    private func settle() {
        guard settleTime != nil else { return }
        settleTime = nil
        guard let folder, folder.isUnsettled else { return }
        do throws(SystemError) {
            // Whoever holds the lock settles everything, or leaves it to the next.
            guard let lock = try folder.lockIfFree() else { return }
            try folder.recover()
            try folder.settle()
            _ = consume lock
        } catch {
            // The journal stays, and vouches for it.
            host?.log(.warning, error.message)
        }
    }

    /// The folder's path; relative ones start at the workspace, where the host starts plugins.
    private func path() throws(PluginError) -> String {
        guard let path = setup.config["path"]?.text, !path.isEmpty else {
            throw PluginError(
                .permanent, "the folder backend needs the directory of the records",
                hint: "satchel config set contexts.NAME.config.path DIRECTORY")
        }
        guard path == "~" || path.utf8.starts(with: "~/".utf8) else { return path }
        return Path.join(Environment.current().home, String(path.dropFirst(2)))
    }
}
