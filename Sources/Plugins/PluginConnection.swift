package import JSON
package import Platform

/// A started plugin and the requests that are under way; used by one thread.
package final class PluginConnection {
    /// What all connections to one plugin have in common.
    package struct Setting: Sendable {
        /// The name people know it by: "folder".
        package var name: String
        package var program: Program
        package var deadlines = Deadlines()
        /// Raised to give up waiting.
        package var interrupt: Interrupt?
        package var masker: Masker
        package var teardown: Teardown
        package var log: @Sendable (PluginLog) -> Void
        package var clock = Clock.system
        /// Sees each line as it is written and as it comes, on the thread that does so.
        var wire: (@Sendable (WireLine) -> Void)?

        package init(
            name: String, program: Program, masker: Masker, teardown: Teardown,
            log: @escaping @Sendable (PluginLog) -> Void = { _ in }
        ) {
            self.name = name
            self.program = program
            self.masker = masker
            self.teardown = teardown
            self.log = log
        }
    }

    let setting: Setting
    let inbox: PluginInbox
    let process: ChildProcess
    /// Ids from 1 to this were asked.
    private var lastID: Int64 = 0
    /// Asked and not answered.
    private var pending: Set<Int64> = []
    /// Answered and not yet collected.
    private var answers: [Int64: Result<JSONValue, PluginError>] = [:]
    /// When the plugin last told of progress with a request.
    private var progress: [Int64: Int64] = [:]
    private var events: [PluginMessage] = []
    private var secrets: [(key: String, value: String, expiresAt: JSONValue?)] = []
    /// Told, once a request, when the plugin has written no line for a while.
    var onSilence: (String) -> Void = { _ in }
    /// Set once the connection is of no more use.
    private(set) var failure: PluginError?

    /// Starts the plugin's program; it has said nothing yet.
    package init(_ setting: Setting) throws(PluginError) {
        self.setting = setting
        var program = setting.program
        program.environment["SATCHEL_PLUGIN"] = "1"
        do throws(SystemError) {
            let inbox = try PluginInbox(
                name: setting.name, masker: setting.masker, log: setting.log, wire: setting.wire)
            self.inbox = inbox
            process = try ChildProcess.start(program) { inbox.take($0) }
        } catch {
            throw PluginError(
                .cannotStart, "plugin \(setting.name): \(error.message)",
                hint: Self.hint(error, program))
        }
    }

    /// Readable when the plugin has said something that nobody has looked at.
    package var descriptor: Int32 { inbox.items.descriptor }

    /// Asks and waits for the answer.
    package func call(
        _ method: PluginMethod, _ params: JSONObject
    ) throws(PluginError) -> JSONValue {
        let id = try send(method, params)
        return try answer(to: id, of: method)
    }

    /// Asks; `answer(to:of:)` collects what comes back.
    ///
    /// With `name` the plugin is asked for that instead, with the deadline of `method`.
    package func send(
        _ method: PluginMethod, _ params: JSONObject, as name: String? = nil
    ) throws(PluginError) -> Int64 {
        if let failure { throw failure }
        // A command that is being given up asks nothing more; the plugin is none the worse for it.
        if setting.interrupt?.isRaised == true {
            throw PluginError(.interrupted, "interrupted before \(setting.name) was asked")
        }
        let line = PluginMessage.request(lastID + 1, name ?? method.rawValue, params)
        guard line.count <= OutputReader.limit else {
            throw PluginError(
                .tooLarge, "the \(method.rawValue) request for plugin \(setting.name) is too long")
        }
        lastID += 1
        pending.insert(lastID)
        let limit = setting.deadlines.limit(of: method)
        let deadline = setting.clock.monotonic() + limit
        switch write(line, until: deadline, interrupt: setting.interrupt) {
        case .done: return lastID
        case .late: throw late(method, limit, since: deadline - limit)
        case .closed: throw closed(during: method)
        case .interrupted: throw abandoned(method)
        }
    }

    /// Waits for the answer to a request.
    package func answer(
        to id: Int64, of method: PluginMethod
    ) throws(PluginError) -> JSONValue {
        let limit = setting.deadlines.limit(of: method)
        let started = setting.clock.monotonic()
        var deadline = started + limit
        var isCancelled = false
        var lastHeard: Int64?
        var silence: Int64? = started + setting.deadlines.silence
        let heard = inbox.lines
        while true {
            if let answer = answers.removeValue(forKey: id) {
                return try heeded(answer, method, mayCancel: isCancelled)
            }
            if let failure { throw failure }
            if setting.interrupt?.isRaised == true, !isCancelled {
                guard setting.deadlines.cancel > 0 else { throw abandoned(method) }
                isCancelled = true
                deadline = setting.clock.monotonic() + setting.deadlines.cancel
                _ = write(PluginMessage.cancel(id), until: deadline, interrupt: nil)
            }
            if let told = progress.removeValue(forKey: id), !isCancelled {
                lastHeard = told
                deadline = min(told + limit, started + setting.deadlines.longest)
            }
            let left = deadline - setting.clock.monotonic()
            guard left > 0 else {
                if isCancelled { throw abandoned(method) }
                throw late(method, limit, since: started, lastHeard: lastHeard)
            }
            let quiet = silence.map { $0 - setting.clock.monotonic() }
            if let quiet, quiet <= 0 {
                silence = nil
                if inbox.lines == heard { onSilence(silent(method)) }
                continue
            }
            let item = inbox.items.take(
                within: min(left, quiet ?? left), interrupt: isCancelled ? nil : setting.interrupt,
                clock: setting.clock)
            if let item { take(item, during: method) }
        }
    }

    /// Gives up an answer: when it comes it is ignored.
    func forget(_ id: Int64) {
        answers[id] = nil
        guard pending.remove(id) != nil, failure == nil else { return }
        let soon = setting.clock.monotonic() + setting.deadlines.cancel
        _ = write(PluginMessage.cancel(id), until: soon, interrupt: setting.interrupt)
    }

    /// The `event` and `gap` notifications that have arrived, oldest first; never waits.
    package func takeEvents() throws(PluginError) -> [PluginMessage] {
        for item in inbox.items.takeAll() { take(item, during: nil) }
        let taken = events
        events = []
        if taken.isEmpty, let failure { throw failure }
        return taken
    }

    /// Secrets the plugin has refreshed since the last call.
    package func takeSecrets() -> [(key: String, value: String, expiresAt: JSONValue?)] {
        defer { secrets = [] }
        return secrets
    }

    /// Says goodbye and stops the program; when it returns nothing of it is left.
    package func close() {
        guard failure == nil else { return }
        failure = PluginError(.died, "plugin \(setting.name) was stopped")
        let goodbye = PluginMessage.request(
            lastID + 1, PluginMethod.shutdown.rawValue, JSONObject())
        _ = write(
            goodbye, until: setting.clock.monotonic() + setting.deadlines.shutdown, interrupt: nil)
        _ = process.stop(
            closing: setting.deadlines.closing, terminating: setting.deadlines.terminating)
    }

    /// Stops the program behind the caller's back.
    package func abandon() {
        guard failure == nil else { return }
        fail(PluginError(.died, "plugin \(setting.name) was stopped"))
    }
}

extension PluginConnection {
    private func write(
        _ line: [UInt8], until deadline: Int64, interrupt: Interrupt?
    ) -> ChildProcess.Writing {
        setting.wire?(WireLine(isFromHost: true, bytes: line.dropLast()))
        return process.write(line, until: deadline, interrupt: interrupt)
    }

    private func take(_ item: PluginInbox.Item, during method: PluginMethod?) {
        switch item {
        case .message(let message): take(message)
        case .violation(let error): if failure == nil { fail(error) }
        case .ended(let status):
            guard failure == nil else { return }
            let attempt = method.map { " before it answered \($0.rawValue)" } ?? ""
            fail(
                PluginError(
                    .died, "plugin \(setting.name) ended (\(status))\(attempt)", hint: lastWords))
        }
    }

    private func take(_ message: PluginMessage) {
        inbox.took(message)
        switch message {
        case .result(let id, let value): settle(id, .success(value))
        case .failure(let id, let error):
            let refusal = refusal(error)
            var message = refusal.message
            if refusal.kind == .tooLarge {
                message = "plugin \(setting.name) calls the request too large: \(message)"
            }
            let hint = error["data"]?["hint"]?.text.map {
                ForeignText(masker: setting.masker).shown($0)
            }
            settle(id, .failure(PluginError(.refused(refusal), message, hint: hint)))
        case .event, .gap: events.append(message)
        case .progress(let id, _, _):
            if let id = id.integer, pending.contains(id) {
                progress[id] = setting.clock.monotonic()
            }
        case .secret(let key, let value, let expiresAt):
            secrets.removeAll { $0.key == key }
            secrets.append((key, value, expiresAt))
        case .log, .unknown: break
        }
    }

    private func settle(_ id: JSONValue, _ answer: Result<JSONValue, PluginError>) {
        guard let number = id.integer, (1...max(lastID, 1)).contains(number), lastID > 0 else {
            let words = ForeignText(masker: setting.masker).shown(id.serialized(), limit: 100)
            return fail(
                PluginError(
                    .violation(.unknownID),
                    "plugin \(setting.name) broke the protocol: it answered request \(words), "
                        + "which was never asked"))
        }
        if pending.remove(number) != nil {
            answers[number] = answer
        } else {
            inbox.report(.host, "answered request \(number) again or too late; ignored")
        }
    }

    private func refusal(_ error: JSONObject) -> Refusal {
        let text = ForeignText(masker: setting.masker)
        let data = error["data"]?.members
        let words = error["message"]?.text ?? "no reason given"
        var kind = data?["kind"]?.text.flatMap(Refusal.Kind.init(rawValue:))
        // JSON-RPC's own code for a method that is not there.
        if kind == nil, error["code"]?.integer == -32601 { kind = .unsupported }
        return Refusal(
            kind: kind ?? .permanent, message: text.shown(words),
            afterMilliseconds: (data?["after_ms"] ?? error["after_ms"])?.delay)
    }

    /// The end of its standard error, as a hint.
    private var lastWords: String? {
        let words = inbox.lastWords
        return words.isEmpty ? nil : "it wrote: \(words)"
    }

    private func fail(_ error: PluginError) {
        failure = error
        // It has had its time, or cannot be understood: no need to wait for it to see the end.
        setting.teardown.stop(process, closing: 0, terminating: setting.deadlines.terminating)
    }

    /// An answer; one that says "cancelled" where nobody cancelled is no answer.
    private func heeded(
        _ answer: Result<JSONValue, PluginError>, _ method: PluginMethod, mayCancel: Bool
    ) throws(PluginError) -> JSONValue {
        if case .failure(let error) = answer, case .refused(let refusal) = error.kind,
            refusal.kind == .cancelled, !mayCancel, setting.interrupt?.isRaised != true
        {
            throw PluginError(
                .malformed,
                "plugin \(setting.name) answered \(method.rawValue) wrongly: it says \"cancelled\", "
                    + "and nobody cancelled it", hint: error.hint)
        }
        return try answer.get()
    }

    /// It did not answer in time.
    ///
    /// - Parameters:
    ///   - method: What it was asked.
    ///   - limit: What that has, in milliseconds.
    ///   - started: When it was asked.
    ///   - lastHeard: When it last told of progress; nil for never.
    /// - Returns: What went wrong, for the caller to throw; the plugin is stopped.
    private func late(
        _ method: PluginMethod, _ limit: Int64, since started: Int64, lastHeard: Int64? = nil
    ) -> PluginError {
        func time(_ limit: Int64) -> String {
            limit % 1000 == 0 ? "\(limit / 1000) s" : "\(limit) ms"
        }
        var words = "did not answer \(method.rawValue) within \(time(limit))"
        if let lastHeard {
            let longest = setting.deadlines.longest
            words =
                lastHeard + limit < started + longest
                ? "told of progress with \(method.rawValue), and then of nothing for \(time(limit))"
                : "did not end \(method.rawValue) within \(time(longest)), all its progress told"
        }
        var hint = lastWords
        if inbox.lines == 0 { hint = Self.flushing + (hint.map { "; \($0)" } ?? "") }
        let error = PluginError(.deadline, "plugin \(setting.name) \(words)", hint: hint)
        fail(error)
        return error
    }

    private static let flushing = "it has written no line: does it flush its output after each one?"

    private func silent(_ method: PluginMethod) -> String {
        let time = setting.deadlines.silence / 1000
        return "no line from \(setting.name) within \(time) s of \(method.rawValue)"
            + (inbox.lines == 0 ? ": does it flush its output after each one?" : "; waiting")
    }

    private func abandoned(_ method: PluginMethod) -> PluginError {
        let error = PluginError(.interrupted, "interrupted while waiting for \(setting.name)")
        fail(error)
        return error
    }

    /// Its input is closed: says why, waiting a moment for its last words.
    private func closed(during method: PluginMethod) -> PluginError {
        let deadline = setting.clock.monotonic() + 1_000
        while failure == nil {
            let left = deadline - setting.clock.monotonic()
            guard left > 0, let item = inbox.items.take(within: left) else { break }
            take(item, during: method)
        }
        if let failure { return failure }
        let error = PluginError(
            .died, "plugin \(setting.name) closed its input before it took \(method.rawValue)",
            hint: lastWords)
        fail(error)
        return error
    }

    private static func hint(_ error: SystemError, _ program: Program) -> String? {
        switch error.kind {
        case .notFound where Files.exists(program.path):
            "the interpreter its first line names is missing"
        case .permission: "make it executable: chmod +x \(program.path)"
        case .other where Files.exists(program.path):
            "a script must begin with a line such as #!/bin/sh"
        default: nil
        }
    }
}
