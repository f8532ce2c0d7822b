internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync
internal import Synchronization

/// How to start the plugin of a context: all that another thread needs for it.
struct BackendRecipe: Sendable {
    var name: String
    var program: Program
    /// Where what the plugin says on the side goes.
    var logPath: String
    var clock: Clock
    var context: PluginBackend.Context
    /// Knows its secrets once it is made, and those it refreshes.
    let masker = Masker()
    /// Called once with each thing that the plugin warns of.
    var warn: (@Sendable (String) -> Void)?
    /// Called with each secret that the plugin refreshed.
    var keepSecret: @Sendable (_ key: String, _ value: String) -> String? = { _, _ in nil }

    /// The plugin, not started yet.
    ///
    /// - Parameters:
    ///   - teardown: Stops what is left of it.
    ///   - interrupt: Raised to give up waiting.
    ///   - cancelGrace: How long an interrupted request may still be answered, in milliseconds.
    /// - Returns: The backend.
    func make(
        _ teardown: Teardown, _ interrupt: Interrupt, cancelGrace: Int64 = 2_000
    ) -> PluginBackend {
        let file = PluginLogFile(logPath, clock: clock)
        let warnings = warn.map(PluginWarnings.init)
        var setting = PluginConnection.Setting(
            name: name, program: program, masker: masker, teardown: teardown,
            log: { log in
                file.append("\(log.plugin): \(log.message)")
                warnings?.take(log)
            })
        setting.interrupt = interrupt
        setting.clock = clock
        setting.deadlines.cancel = cancelGrace
        let backend = PluginBackend(setting, context: context)
        let keep = keepSecret
        backend.onSecret = { key, value, _ in
            if let problem = keep(key, value) { file.append(problem) }
        }
        return backend
    }
}

/// What a plugin warns of, told once each: what keeps happening it may say every time.
private final class PluginWarnings: Sendable {
    /// Different ones that are told: a plugin may make up as many as it likes.
    private static let most = 20

    private let warn: @Sendable (String) -> Void
    private let told = Mutex<Set<String>>([])

    init(_ warn: @escaping @Sendable (String) -> Void) { self.warn = warn }

    func take(_ log: PluginLog) {
        guard case .notification(let level) = log.source, level == "warning" || level == "error"
        else { return }
        let isNews = told.withLock { told in
            told.count < Self.most && told.insert(log.message).inserted
        }
        if isNews { warn("\(log.plugin): \(log.message)") }
    }
}

extension SyncPorts {
    /// The real world's edges, for an engine on one thread.
    static func real(
        _ clock: Clock, _ identifiers: Identifiers, _ interrupt: Interrupt,
        merging: MergeProgram
    ) -> SyncPorts {
        let bootID = Machine.bootID
        return SyncPorts(
            now: clock.now, random: RandomBytes.word, makeKey: identifiers.next,
            wait: { milliseconds in
                let end = clock.monotonic() + milliseconds
                while !interrupt.isRaised {
                    let left = end - clock.monotonic()
                    if left <= 0 { return true }
                    _ = Poll.wait(reading: [interrupt.descriptor], milliseconds: left)
                }
                return false
            },
            isInterrupted: { interrupt.isRaised }, owner: identifiers.next(),
            pid: Machine.processID, bootID: bootID,
            isAlive: { $0.bootID == bootID && Machine.isAlive($0.pid) },
            resolve: { merging.ask($0, $1, interrupt) })
    }
}
