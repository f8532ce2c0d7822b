// What is told of connections and subscriptions that are refused.

extension LiveSession {
    /// What is warned of once, until it is over.
    enum Trouble: Hashable {
        /// No connection comes to stand.
        case connection
        /// The model cannot be listened to.
        case model(String)
    }

    /// `refused` tells which credentials; nil for those that the connection was made with.
    mutating func credentialsRefused(
        _ line: Int, of refused: Int? = nil, _ now: Int64, _ words: String
    ) {
        effects.append(.disconnect(line: line))
        guard refused ?? lines[line].credentials == credentials else {
            return lost(line, now, after: 0)
        }
        lost(line, now, after: limits.authDelay)
        // One that stands may still be good, but nothing new is begun before there are others.
        for index in lines.indices {
            if case .down(let time) = lines[index].phase {
                lines[index].phase = .down(max(time, now + limits.authDelay))
            }
        }
        needLogin(nil, words)
    }

    /// One that has credentials of its own waits for others; the connection stands by its own.
    mutating func credentialsRefused(subject index: Int, _ now: Int64, _ words: String) {
        guard states[index].credentials == credentials else {
            states[index].phase = .waiting(0)
            return
        }
        states[index].phase = .waiting(now + limits.authDelay)
        needLogin(states[index].subject.mode, words)
    }

    private mutating func needLogin(_ mode: Access.Mode?, _ words: String) {
        let news =
            authFailures > 0
            ? nil : "live changes need a login: \(words); until then the API is asked instead"
        authFailures += 1
        effects.append(.renew(mode, words: news))
    }

    /// A connection did not come to stand: told at once where waiting will hardly mend it, else when it
    /// happens again and again.
    mutating func tellFailing(_ line: Int, _ words: String, isLasting: Bool) {
        guard isLasting || lines[line].failures > Self.borneFailures else { return }
        warn(.connection, "no live changes for now: \(words); the API is asked instead")
    }

    /// A subscription fails in a way that may pass, and does not.
    mutating func tellFailing(subject index: Int, _ words: String) {
        guard states[index].failures > Self.borneFailures else { return }
        let model = states[index].subject.model
        warn(
            .model(model),
            "no live changes of \(model) for now: \(words); it is asked for instead")
    }

    /// Failures in a row that are told of nobody: servers are restarted, and networks break off.
    private static let borneFailures = 3

    mutating func refuse(_ index: Int, _ fault: LiveFault) {
        states[index].phase = .refused
        let subject = states[index].subject
        warn(
            .model(subject.model),
            "no live changes of \(subject.model) (\(subject.verb.rawValue)): \(fault.words); "
                + "it is asked for instead")
    }

    private mutating func warn(_ trouble: Trouble, _ words: String) {
        if warned.insert(trouble).inserted { effects.append(.warn(words)) }
    }

    /// One of a model's subscriptions stands: it is over once none of the others fails.
    mutating func recovered(_ model: String) {
        let isFailing = states.contains { state in
            state.subject.model == model && (state.phase == .refused || state.failures > 0)
        }
        if !isFailing { warned.remove(.model(model)) }
    }

    /// A connection is taken.
    mutating func accepted() {
        authFailures = 0
        warned.remove(.connection)
    }
}
