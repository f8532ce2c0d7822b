internal import Glibc
internal import JSON
internal import Platform
internal import Records
internal import Storage
internal import Sync

extension Session {
    /// Prints the records that match, then each change as it is committed, by whatever process.
    func watch(_ request: WatchRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        var model: Model?
        if let name = request.model { model = try open.model(name) }
        var query: Query?
        if let model {
            query = Query(
                model: model.name, filter: try filter(request.filter, model, open),
                sort: try sort(request.sort, model, open), limit: request.limit)
        }
        var listing = try listing()
        listing.isLive = true
        var since: Int64?
        if let token = request.since { since = try place(token) }
        var watch = Watch(
            open, query: query, models: model.map { [$0] } ?? open.schema.models,
            writer: WatchWriter(listing, to: output))
        let notices = try written { () throws(SystemError) in try Mailbox<Repl.Notice>() }
        let teller = BackgroundTeller(notices)
        var says = SyncWorker.Sayings(
            warn: { notices.put(.warning(Sanitizer.show($0))) },
            loggedIn: { notices.put(.loggedIn) })
        if options.isVerbose { says.detail = { notices.put(.text(Sanitizer.show($0))) } }
        let start = { (open: OpenWorkspace) throws(ShellError) -> SyncWorker in
            try self.startWorker(open, says: says) { notice in
                // States of the network are events of the watch itself.
                if case .network = notice { return }
                teller.tell(notice)
            }
        }
        var worker = request.syncs ? try start(open) : nil
        defer { worker?.stop() }
        // A pager on the other side of a pipe has the keys.
        let isKeyed =
            console.terminal.inputIsTerminal && console.terminal.outputIsTerminal
            && !readsCommandsFromInput
        defer { TerminalKeys.giveBack() }
        if isKeyed { _ = TerminalKeys.take(0) }
        if try !watch.begin(since: since) {
            console.note("the feed no longer goes back to \(request.since ?? ""): all of it again")
        }
        var network = worker?.network
        var loginTrouble: String?
        while true {
            let keys = isKeyed && TerminalKeys.take(0)
            let waited = Poll.wait(
                // What was just synced here is told at once, not at the next look.
                reading: [interrupt.descriptor, notices.descriptor] + (keys ? [0] : []),
                leaving: [1], milliseconds: Watch.interval)
            if interrupt.isRaised {
                return interrupt.signal == SIGTERM ? .done : .interrupted
            }
            if keys, waited.contains(0), readsQuit() { return .done }
            if waited.contains(1) {
                // The next event, which would find that out, may never come.
                throw ShellError(SystemError("write to standard output", code: EPIPE))
            }
            try watch.advance()
            for notice in notices.takeAll() {
                switch notice {
                case .text(let text): console.note(text, lines: .kept)
                case .warning(let text): console.warn(text, lines: .kept)
                case .state: break
                case .loggedIn:
                    // With the secrets may have come settings, which stand in satchel.json.
                    let workspace: Workspace
                    do throws(ShellError) { workspace = try findWorkspace() } catch {
                        // It may be half written for now.
                        worker?.tellLoginAgain()
                        if loginTrouble != error.message { console.warn(error.message) }
                        loginTrouble = error.message
                        continue
                    }
                    worker?.stop()
                    worker = try start(open.with(workspace))
                }
            }
            if let now = worker?.network, now != network {
                network = now
                try watch.tellNetwork(now.rawValue)
            }
        }
    }

    /// True when the person pressed q or Ctrl-D, or the terminal is gone; does what Ctrl-Z asks for.
    private func readsQuit() -> Bool {
        guard case .keys(let keys) = TerminalKeys.pressed(0) else { return true }
        if keys.contains(UInt8(ascii: "q")) || keys.contains(0x04) { return true }
        if keys.contains(0x1A) { TerminalKeys.suspend() }
        return false
    }
}
