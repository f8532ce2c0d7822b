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
            warn: { notices.put(.warning($0)) }, loggedIn: { notices.put(.loggedIn) })
        if options.isVerbose { says.detail = { notices.put(.text($0)) } }
        let start = { (open: OpenWorkspace) throws(ShellError) -> SyncWorker in
            try self.startWorker(open, says: says) { notice in
                // States of the network are events of the watch itself.
                if case .network = notice { return }
                teller.tell(notice)
            }
        }
        var worker = request.syncs ? try start(open) : nil
        defer { worker?.stop() }
        if try !watch.begin(since: since) {
            console.note("the feed no longer goes back to \(request.since ?? ""): all of it again")
        }
        let keys = console.terminal.inputIsTerminal && !readsCommandsFromInput
        var network = worker?.network
        var loginTrouble: String?
        let lines = LineReader(0, name: "<stdin>", limit: 4_096)
        while true {
            let waited = Poll.wait(
                // What was just synced here is told at once, not at the next look.
                reading: [interrupt.descriptor, notices.descriptor] + (keys ? [0] : []),
                milliseconds: Watch.interval)
            if interrupt.isRaised {
                return interrupt.signal == SIGTERM ? .done : .interrupted
            }
            if keys, waited.contains(0), try readsQuit(lines) { return .done }
            try watch.advance()
            for notice in notices.takeAll() {
                switch notice {
                case .text(let text): console.note(text)
                case .warning(let text): console.warn(text)
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

    /// True when the person typed q, or ended their input.
    private func readsQuit(_ lines: LineReader) throws(ShellError) -> Bool {
        switch try written({ () throws(SystemError) in try lines.next() }) {
        case .line(let line): line.first == UInt8(ascii: "q")
        case .end: true
        case .interrupted: false
        }
    }
}
