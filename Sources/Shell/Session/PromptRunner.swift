internal import JSON
internal import Platform
internal import Records
internal import Storage
internal import Sync
internal import Synchronization

/// The session behind the prompt.
final class PromptRunner: LineRunner {
    private let session: Session
    private let notices: Mailbox<Repl.Notice>
    private var worker: SyncWorker? { session.worker }
    /// The workspace that the worker syncs.
    private var synced: ObjectIdentifier?
    /// Why what came with a login could not be read the last time.
    private var loginTrouble: String?

    init(_ session: Session, _ notices: Mailbox<Repl.Notice>) {
        self.session = session
        self.notices = notices
    }

    var promptState: PromptState {
        guard let open = session.opened else { return PromptState() }
        var state = PromptState()
        if open.workspace.config.contexts.count > 1 { state.context = open.workspace.context.name }
        do throws(StoreError) {
            let counts = try open.store.mutationCounts()
            state.troubled = (counts[.conflict] ?? 0) + (counts[.rejected] ?? 0)
            state.queued = counts.values.reduce(0, +) - state.troubled
            if open.workspace.context.backend != nil {
                let isPaused = try open.store.meta(.paused) == "1"
                state.network = isPaused ? .paused : worker.map { .init($0.network) } ?? .unknown
            }
        } catch {
            // A busy store shows no counts; the next prompt will.
        }
        return state
    }

    var secretNames: [String] {
        guard let open = session.opened else { return [] }
        return open.schema.models.flatMap(\.fields).filter(\.isSecret).map(\.name)
            + open.workspace.context.secrets
    }

    func run(_ command: [UInt8]) -> LineOutcome {
        let invocation: Invocation?
        do throws(ShellError) {
            invocation = try command.span.withUnsafeBytes {
                (bytes) throws(ShellError) -> Invocation? in try Invocation.parse(line: bytes)
            }
        } catch {
            _ = session.fail(error)
            return .failed
        }
        guard let invocation else { return .done }
        if case .exit = invocation.command { return .leave }
        let code = session.run(invocation)
        followWorkspace()
        worker?.wake()
        return code == .done ? .done : .failed
    }

    func completions(after words: [String], current: String) -> Completions {
        Completer(StoreCompletionData(session), for: .prompt)
            .completions(after: words, current: current)
    }

    func confirm(_ question: String) -> Bool {
        do throws(ShellError) { return try session.confirm(question) } catch { return false }
    }

    func leave() {
        guard let open = session.opened else { return }
        do throws(StoreError) {
            let counts = try open.store.mutationCounts()
            let unsent =
                counts.values.reduce(0, +) - (counts[.conflict] ?? 0)
                - (counts[.rejected] ?? 0)
            if unsent > 0 {
                session.console.note(
                    "\(Quantity.count(unsent, "change")) not delivered yet; they are kept")
            }
        } catch {
            session.console.warn(error.message)
        }
    }

    func followLogin() {
        guard let open = session.opened, session.worker != nil else { return }
        do throws(ShellError) {
            // With the secrets may have come settings, which stand in satchel.json.
            session.opened = open.with(
                try Workspace.open(
                    workspace: open.workspace.root, context: open.workspace.context.name,
                    environment: session.environment))
            loginTrouble = nil
            synced = nil
            followWorkspace()
        } catch {
            // It may be half written for now.
            worker?.tellLoginAgain()
            if loginTrouble != error.message { tell(error) }
            loginTrouble = error.message
        }
    }

    /// Starts background sync for the workspace in use, or for another one than before.
    func followWorkspace() {
        guard let open = session.opened else { return }
        if synced == ObjectIdentifier(open) { return }
        synced = ObjectIdentifier(open)
        session.worker?.stop()
        session.worker = nil
        guard open.workspace.context.backend != nil, !session.base.isOffline,
            !session.settings.isOffline
        else { return }
        let notices = notices
        let teller = BackgroundTeller(notices)
        var says = SyncWorker.Sayings(
            warn: { notices.put(.warning(Sanitizer.show($0.replacingProgram()))) },
            loggedIn: { notices.put(.loggedIn) })
        if session.base.isVerbose { says.detail = { notices.put(.text(Sanitizer.show($0))) } }
        do throws(ShellError) {
            let user = try session.user().sync
            let mode = open.workspace.context.sync ?? user ?? .auto
            session.worker = try session.startWorker(
                open, isAutomatic: mode == .auto, says: says, tell: teller.tell)
        } catch {
            tell(error)
        }
    }

    private func tell(_ error: ShellError) {
        notices.put(.text(error.lines(session.spoken)))
    }
}

extension PromptState.Network {
    init(_ state: NetworkMonitor.State) {
        switch state {
        case .unknown: self = .unknown
        case .online: self = .online
        case .offline: self = .offline
        case .needsAuth: self = .needsLogin
        case .paused: self = .paused
        }
    }
}

/// Words what background sync does, for lines above what is being typed.
struct BackgroundTeller: Sendable {
    private let notices: Mailbox<Repl.Notice>

    init(_ notices: Mailbox<Repl.Notice>) { self.notices = notices }

    func tell(_ notice: BackgroundSync.Notice) {
        if let text = Self.text(notice) { notices.put(.text(text)) } else { notices.put(.state) }
    }

    static func text(_ notice: BackgroundSync.Notice) -> String? {
        switch notice {
        case .network(.online): "online"
        case .network(.offline): "offline; changes are queued"
        case .network(.needsAuth): "the backend wants a login: auth login"
        case .network(.paused), .network(.unknown): nil
        case .record(let record): NoticeText(record).flatMap(told)
        case .synced(let pushed, let pulled, let deleted): text(pushed, pulled, deleted)
        case .failed(let error):
            ShellError(error).lines { $0.replacingProgram() }
        }
    }

    private static func text(_ pushed: Int, _ pulled: Int, _ deleted: Int) -> String {
        var parts: [String] = []
        if pushed > 0 { parts.append("\(Quantity.grouped(pushed)) delivered") }
        if pulled > 0 { parts.append("\(Quantity.grouped(pulled)) received") }
        if deleted > 0 { parts.append("\(Quantity.grouped(deleted)) removed") }
        return parts.joined(separator: ", ")
    }

    /// What a person at the prompt need not know is left out.
    private static func told(_ notice: NoticeText) -> String? {
        notice.weight == .detail ? nil : notice.text.replacingProgram()
    }
}
