internal import JSON

extension LiveSession {
    /// A connection stands.
    package mutating func opened(_ line: Int, _ now: Int64) {
        guard lines.indices.contains(line), case .connecting = lines[line].phase else { return }
        lines[line].phase = .greeted(since: now)
        lines[line].heardAt = now
        effects.append(.greet(line: line))
    }

    /// A connection ended, or never came to be.
    package mutating func ended(_ line: Int, _ ending: WebSocket.Ending, _ now: Int64) {
        guard lines.indices.contains(line) else { return }
        if case .down = lines[line].phase { return }
        switch ending.kind {
        case .refused(let status) where [400, 401, 403].contains(status):
            credentialsRefused(
                line, now, "the handshake was answered with status \(status)\(otherWays)")
        default:
            if let trouble = ending.trouble {
                let isAnswered = if case .refused = ending.kind { true } else { false }
                tellFailing(
                    line, trouble.words + (isAnswered ? otherWays : ""),
                    isLasting: trouble.isLasting)
            }
            lost(line, now)
        }
    }

    package mutating func received(_ line: Int, _ message: LiveMessage, _ now: Int64) {
        guard lines.indices.contains(line) else { return }
        if case .down = lines[line].phase { return }
        lines[line].heardAt = now
        if message != .garbage { lines[line].garbage = 0 }
        switch message {
        case .acknowledged(let timeout): ready(line, timeout)
        case .refused(let faults): refused(line, faults, now)
        case .keepAlive: break
        case .started(let id): started(line, id, now)
        case .data(let id, let answer): data(id, answer, now)
        case .completed(let id):
            guard let index = place(of: id, on: line) else { return }
            if case .live = states[index].phase { states[index].isMissing = true }
            retry(index, now)
        case .failed(let id, let faults): failed(line, id, faults, now)
        case .garbage:
            missed(now)
            lines[line].garbage += 1
            if lines[line].garbage >= limits.garbage { drop(line, now) }
        }
    }

    private mutating func ready(_ line: Int, _ timeout: Int64?) {
        guard case .greeted = lines[line].phase else { return }
        lines[line].phase = .ready
        lines[line].timeout = min(max(timeout ?? 300_000, 1_000), limits.silence)
        accepted()
    }

    private mutating func refused(_ line: Int, _ faults: [LiveFault], _ now: Int64) {
        let fault = faults.first ?? LiveFault(type: "", message: "the server gives no reason")
        if fault.kind == .auth {
            return credentialsRefused(line, now, fault.words + otherWays)
        }
        let isRefusal = fault.kind == .invalid || 400..<500 ~= fault.code ?? 0
        tellFailing(
            line, fault.words + (isRefusal && fault.kind != .rate ? otherWays : ""),
            isLasting: fault.kind == .invalid)
        drop(line, now)
    }

    /// What else there is to try where whoever stands before the API spoils a handshake.
    private var otherWays: String {
        " (if the API's other requests are taken, try config.realtime_auth: \(way.others))"
    }

    /// The subscription that has this id now; none for one that was given up.
    private func place(of id: String, on line: Int) -> Int? {
        states.firstIndex { state in
            guard state.id == id else { return false }
            switch state.phase {
            case .starting(line, _), .live(line): return true
            default: return false
            }
        }
    }

    private mutating func started(_ line: Int, _ id: String, _ now: Int64) {
        guard let index = place(of: id, on: line) else {
            // Given up as late: it must not tell everything twice.
            effects.append(.stop(line: line, id: id))
            return
        }
        states[index].phase = .live(line: line)
        states[index].failures = 0
        lines[line].failures = 0
        recovered(states[index].subject.model)
        if states[index].isMissing {
            states[index].isMissing = false
            missed(now)
        }
    }

    private mutating func data(_ id: String, _ answer: GraphQLAnswer, _ now: Int64) {
        guard let first = id.split(separator: ".").first, let index = Int(first),
            states.indices.contains(index)
        else { return missed(now) }
        guard let value = answer.value(at: [states[index].subject.root]) else {
            // A change that cannot be shown is a change all the same.
            return missed(now)
        }
        effects.append(.changed(subject: index, value))
    }

    private mutating func failed(
        _ line: Int, _ id: String?, _ faults: [LiveFault], _ now: Int64
    ) {
        let fault = faults.first ?? LiveFault(type: "", message: "the server gives no reason")
        guard let id, let index = place(of: id, on: line) else {
            if id != nil { return }
            // About one of those under way, it does not say which: those that get no answer are
            // asked for again.
            if fault.kind == .auth { return credentialsRefused(line, now, fault.words) }
            return pause(line, now)
        }
        if case .live = states[index].phase { states[index].isMissing = true }
        let subject = states[index].subject
        switch fault.kind {
        case .auth where subject.mode != nil:
            credentialsRefused(subject: index, now, fault.words)
        case .auth:
            states[index].phase = .waiting(0)
            guard states[index].credentials == credentials else { return }
            credentialsRefused(line, of: credentials, now, fault.words)
        case .full: full(line, index, now)
        case .rate:
            retry(index, now)
            pause(line, now)
        case .filter,
            .invalid where states[index].attempt.isFiltered:
            guard states[index].attempt.isFiltered else { return refuse(index, fault) }
            // What arrives is looked at here as well: the server's filter only saves the way.
            states[index].attempt.isFiltered = false
            states[index].phase = .waiting(0)
        case .permission:
            guard states[index].attempt.owner + 1 < subject.owners.count else {
                return refuse(index, fault)
            }
            states[index].attempt.owner += 1
            states[index].phase = .waiting(0)
        case .invalid: refuse(index, fault)
        case .failure:
            tellFailing(subject: index, fault.words)
            retry(index, now)
        }
    }

    /// The connection takes no more: what it carries now is what it can.
    private mutating func full(_ line: Int, _ index: Int, _ now: Int64) {
        states[index].phase = .waiting(0)
        let carried = states.count { if case .live(line) = $0.phase { true } else { false } }
        guard carried > 0 else { return retry(index, now) }
        lines[line].capacity = carried
    }

    /// The server is asked too fast: all that it did not answer yet is asked for later.
    private mutating func pause(_ line: Int, _ now: Int64) {
        lines[line].pauseUntil = now + delay(after: 1)
        for index in states.indices {
            guard case .starting(line, _) = states[index].phase else { continue }
            effects.append(.stop(line: line, id: states[index].id))
            states[index].phase = .waiting(lines[line].pauseUntil)
        }
    }
}

extension WebSocket.Ending {
    /// Why no connection came to stand, and whether waiting will hardly mend it; nil for one that stood.
    fileprivate var trouble: (words: String, isLasting: Bool)? {
        switch kind {
        case .refused(let status):
            (
                "the handshake was answered with status \(status)",
                402..<500 ~= status && status != 429
            )
        case .untrusted: ("the certificate is not trusted (config.ca_file): \(message)", true)
        case .insecure: ("there is no secure connection: \(message)", true)
        case .unreachable, .late: (message, false)
        case .cut, .closed, .tooLarge, .other: nil
        }
    }
}
