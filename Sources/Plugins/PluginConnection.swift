package import JSON
internal import Platform

/// A started plugin and the requests that are under way; used by one thread.
package final class PluginConnection {
    let setting: Setting
    let inbox: PluginInbox
    let process: ChildProcess
    /// Ids from 1 to this were asked.
    var lastID: Int64 = 0
    /// Asked and not answered.
    var pending: Set<Int64> = []
    /// Answered and not yet collected.
    var answers: [Int64: Result<PluginAnswer, PluginError>] = [:]
    /// When the plugin last told of progress with a request.
    var progress: [Int64: Int64] = [:]
    var events: [PluginMessage] = []
    var secrets: [(key: String, value: String, expiresAt: JSONValue?)] = []
    /// Told, once a request, when the plugin has written no line for a while.
    var onSilence: (String) -> Void = { _ in }
    /// Set once the connection is of no more use.
    var failure: PluginError?

    /// Starts the plugin's program; it has said nothing yet.
    ///
    /// With `takesApart` the items of `records` come by themselves, so that a bad one spoils no others;
    /// else they stay in the answer, and a bad one makes the whole line wrong.
    init(_ setting: Setting, takesApart: Bool = false) throws(PluginError) {
        self.setting = setting
        var program = setting.program
        program.environment["SATCHEL_PLUGIN"] = "1"
        do throws(SystemError) {
            let inbox = try PluginInbox(
                name: setting.name, masker: setting.masker, log: setting.log, wire: setting.wire,
                takesApart: takesApart)
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
            let (size, most) = ((line.count >> 20) + 1, OutputReader.limit >> 20)
            throw PluginError(
                .tooLarge,
                "the \(method.rawValue) request for plugin \(setting.name) would be \(size) MiB long, "
                    + "and takes at most \(most): what is changed goes twice, alone and with its record"
            )
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
        try items(to: id, of: method).value
    }

    /// Waits for the answer to a request for records.
    func items(to id: Int64, of method: PluginMethod) throws(PluginError) -> PluginAnswer {
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
    func takeEvents() throws(PluginError) -> [PluginMessage] {
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

/// What a plugin answered.
struct PluginAnswer: Sendable {
    var value: JSONValue
    /// The items of `records`, where they come by themselves.
    var items: RemoteItems?
}

extension PluginConnection {
    private func write(
        _ line: [UInt8], until deadline: Int64, interrupt: Interrupt?
    ) -> ChildProcess.Writing {
        setting.wire?(WireLine(isFromHost: true, bytes: line.dropLast()))
        return process.write(line, until: deadline, interrupt: interrupt)
    }

    /// An answer; one that says "cancelled" where nobody cancelled is no answer.
    private func heeded(
        _ answer: Result<PluginAnswer, PluginError>, _ method: PluginMethod, mayCancel: Bool
    ) throws(PluginError) -> PluginAnswer {
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
}
