package import JSON

/// Which subscriptions stand, on which connection, and what to do next: the whole of the live
/// layer's decisions, without a socket or a clock.
///
/// Times are milliseconds of a clock that only goes forward.
package struct LiveSession: Sendable {
    package struct Limits: Sendable {
        /// Subscriptions that one connection is given at most.
        package var perLine = 100
        package var lines = 40
        /// From the first byte to the word that a connection is taken.
        package var greeting: Int64 = 15_000
        /// From a `start` to its answer.
        package var start: Int64 = 15_000
        /// The longest silence that is borne, whatever the server allows.
        package var silence: Int64 = 600_000
        package var firstDelay: Int64 = 500
        package var longestDelay: Int64 = 60_000
        /// Between two tries with credentials that were refused.
        package var authDelay: Int64 = 60_000
        /// Between two words of a gap.
        package var gapPause: Int64 = 1_000
        /// Messages in a row without sense, after which a connection is given up.
        package var garbage = 20

        package init() {}
    }

    /// What is to be done outside.
    package enum Effect: Sendable, Equatable {
        case connect(line: Int)
        case disconnect(line: Int)
        /// Sends `connection_init`.
        case greet(line: Int)
        case start(line: Int, id: String, subject: Int, LiveSubject.Try)
        case stop(line: Int, id: String)
        /// A mutation's data for a subscription.
        case changed(subject: Int, JSONValue)
        case gap
        /// The credentials of that kind are not taken: get others, if there are any; where there are
        /// none, `words` are a warning.
        case renew(Access.Mode?, words: String?)
        case warn(String)
    }

    enum Phase: Equatable {
        /// To be started, not before this time.
        case waiting(Int64)
        case starting(line: Int, since: Int64)
        case live(line: Int)
        /// Never taken with these credentials.
        case refused
    }

    struct State {
        let subject: LiveSubject
        var phase = Phase.waiting(0)
        var attempt: LiveSubject.Try
        var failures = 0
        /// Of the latest start.
        var id = ""
        /// Events may have been lost since it was live.
        var isMissing = false
    }

    enum LinePhase: Equatable {
        /// Not connected, and not to be before this time.
        case down(Int64)
        case connecting(since: Int64)
        case greeted(since: Int64)
        case ready
    }

    struct Line {
        var phase = LinePhase.down(0)
        var failures = 0
        var capacity: Int
        var timeout: Int64 = 300_000
        var heardAt: Int64 = 0
        var garbage = 0
        /// No `start` is sent before this time: the server asks for a pause.
        var pauseUntil: Int64 = 0
    }

    let limits: Limits
    let random: @Sendable (Int64) -> Int64
    var states: [State]
    var lines: [Line] = []
    var effects: [Effect] = []
    private var starts = 0
    private var lastGap: Int64?
    private(set) var owesGap: Int64?
    private var authFailures = 0
    /// When what was due was done last.
    private var doneAt: Int64 = .min

    /// Begins with nothing connected.
    ///
    /// `random` gives a number below its argument.
    package init(
        _ subjects: [LiveSubject], limits: Limits = Limits(),
        random: @escaping @Sendable (Int64) -> Int64
    ) {
        self.limits = limits
        self.random = random
        states = subjects.map { State(subject: $0, attempt: $0.firstTry) }
    }

    /// True when every subscription stands, or will not.
    package var isSettled: Bool {
        states.allSatisfy { state in
            switch state.phase {
            case .live, .refused: true
            case .waiting, .starting: false
            }
        }
    }

    /// True when at least one stands.
    package var isLive: Bool {
        states.contains { if case .live = $0.phase { true } else { false } }
    }

    /// From now on, what was not told by a subscription that does not stand yet may have been
    /// missed.
    package mutating func expectAll() {
        for index in states.indices {
            if case .live = states[index].phase { continue }
            states[index].isMissing = true
        }
    }

    /// The network is there again, or other credentials: what waited need not wait on.
    package mutating func hurry() {
        authFailures = 0
        for index in lines.indices {
            if case .down = lines[index].phase { lines[index].phase = .down(0) }
            lines[index].pauseUntil = 0
        }
        for index in states.indices {
            if case .waiting = states[index].phase { states[index].phase = .waiting(0) }
        }
    }

    /// Begins anew with what was refused: other credentials may do more.
    package mutating func reconsider() {
        for index in states.indices where states[index].phase == .refused {
            states[index].phase = .waiting(0)
            states[index].attempt = states[index].subject.firstTry
            states[index].isMissing = true
        }
        hurry()
    }

    /// A delay after so many failures in a row: full jitter over a doubling bound.
    func delay(after failures: Int) -> Int64 {
        let bound = min(limits.longestDelay, limits.firstDelay << Int64(min(failures, 20)))
        return bound / 2 + random(max(1, bound / 2))
    }
}

extension LiveSession {
    /// Does what is due, and gives all that is to be done outside, in order.
    package mutating func step(_ now: Int64) -> [Effect] {
        doneAt = now
        checkLines(now)
        checkStarts(now)
        place(now)
        tellGap(now)
        defer { effects = [] }
        return effects
    }

    /// When something is due that no message brings; nil for nothing.
    ///
    /// What was due at the last step is done, or waits for a message.
    package func wakeAt() -> Int64? {
        var times: [Int64] = []
        for (index, line) in lines.enumerated() where isNeeded(index) {
            switch line.phase {
            case .down(let time): times.append(time)
            case .connecting(let since), .greeted(let since): times.append(since + limits.greeting)
            case .ready: times.append(line.heardAt + line.timeout)
            }
            times.append(line.pauseUntil)
        }
        for state in states {
            switch state.phase {
            case .waiting(let time): times.append(time)
            case .starting(_, let since): times.append(since + limits.start)
            case .live, .refused: break
            }
        }
        if let owed = owesGap {
            times.append(max(owed, lastGap ?? owed) + limits.gapPause)
        }
        return times.filter { $0 > doneAt }.min()
    }

    private var hasWaiting: Bool {
        states.contains { if case .waiting = $0.phase { true } else { false } }
    }

    private func isNeeded(_ line: Int) -> Bool { hasWaiting || load(line) > 0 }

    func load(_ line: Int) -> Int {
        states.count { state in
            switch state.phase {
            case .starting(let place, _), .live(let place): place == line
            case .waiting, .refused: false
            }
        }
    }

    private mutating func checkLines(_ now: Int64) {
        for index in lines.indices {
            switch lines[index].phase {
            case .connecting(let since) where now >= since + limits.greeting,
                .greeted(let since) where now >= since + limits.greeting:
                drop(index, now)
            case .ready where now >= lines[index].heardAt + lines[index].timeout: drop(index, now)
            default: break
            }
        }
    }

    private mutating func checkStarts(_ now: Int64) {
        for index in states.indices {
            guard case .starting(let line, let since) = states[index].phase,
                now >= since + limits.start
            else { continue }
            effects.append(.stop(line: line, id: states[index].id))
            retry(index, now)
        }
    }

    /// Gives what waits to connections that have room, and connects those.
    private mutating func place(_ now: Int64) {
        for index in states.indices {
            guard case .waiting(let time) = states[index].phase, time <= now else { continue }
            guard let line = room(now) else { break }
            guard lines[line].phase == .ready, lines[line].pauseUntil <= now else { continue }
            starts += 1
            let id = "\(index).\(starts)"
            states[index].id = id
            states[index].phase = .starting(line: line, since: now)
            effects.append(.start(line: line, id: id, subject: index, states[index].attempt))
        }
    }

    /// A connection with room, begun where there is none that stands or is about to.
    private mutating func room(_ now: Int64) -> Int? {
        if let ready = lines.indices.first(where: {
            lines[$0].phase == .ready && lines[$0].pauseUntil <= now
                && load($0) < lines[$0].capacity
        }) {
            return ready
        }
        // One at a time: what it cannot carry comes to the next.
        for index in lines.indices where load(index) < lines[index].capacity {
            switch lines[index].phase {
            case .connecting, .greeted, .ready: return index
            case .down(let time):
                guard time <= now else { continue }
                connect(index, now)
                return index
            }
        }
        let isBlocked = lines.indices.contains { load($0) < lines[$0].capacity }
        guard !isBlocked, lines.count < limits.lines else { return nil }
        lines.append(Line(capacity: limits.perLine))
        connect(lines.count - 1, now)
        return lines.count - 1
    }

    private mutating func connect(_ line: Int, _ now: Int64) {
        lines[line].phase = .connecting(since: now)
        lines[line].garbage = 0
        effects.append(.connect(line: line))
    }

    /// Ends a connection from here, as one that is dead.
    mutating func drop(_ line: Int, _ now: Int64) {
        effects.append(.disconnect(line: line))
        lost(line, now)
    }

    /// A connection is gone: all it carried waits for another, and may have missed something.
    mutating func lost(_ line: Int, _ now: Int64, after pause: Int64? = nil) {
        let wait = pause ?? delay(after: lines[line].failures)
        lines[line].failures += 1
        lines[line].phase = .down(now + wait)
        for index in states.indices {
            switch states[index].phase {
            case .live(line):
                states[index].isMissing = true
                states[index].phase = .waiting(0)
            case .starting(line, _): states[index].phase = .waiting(0)
            default: break
            }
        }
    }

    mutating func retry(_ index: Int, _ now: Int64) {
        let wait = delay(after: states[index].failures)
        states[index].failures += 1
        states[index].phase = .waiting(now + wait)
    }

    mutating func credentialsRefused(_ line: Int, _ now: Int64, _ words: String) {
        effects.append(.disconnect(line: line))
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

    mutating func missed(_ now: Int64) { owesGap = owesGap ?? now }

    private mutating func tellGap(_ now: Int64) {
        guard let owed = owesGap else { return }
        if let lastGap, now < lastGap + limits.gapPause { return }
        // Others that are about to stand have one word with it.
        let isBusy = states.contains { if case .starting = $0.phase { true } else { false } }
        if isBusy, now < owed + limits.gapPause { return }
        owesGap = nil
        lastGap = now
        effects.append(.gap)
    }

    mutating func accepted() { authFailures = 0 }
}
