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
        /// Which credentials the latest start had.
        var credentials = 0
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
        /// Which credentials it was made with.
        var credentials = 0
    }

    let limits: Limits
    /// Where a handshake says who asks.
    let way: Access.RealTimeWay
    let random: @Sendable (Int64) -> Int64
    var states: [State]
    var lines: [Line] = []
    var effects: [Effect] = []
    var starts = 0
    var lastGap: Int64?
    var owesGap: Int64?
    var authFailures = 0
    /// Counts the credentials there were: a refusal may come late, of earlier ones.
    var credentials = 0
    /// What was warned of and is not over.
    var warned: Set<Trouble> = []
    /// When what was due was done last.
    var doneAt: Int64 = .min

    /// Begins with nothing connected.
    ///
    /// `random` gives a number below its argument.
    package init(
        _ subjects: [LiveSubject], way: Access.RealTimeWay = .subprotocol,
        limits: Limits = Limits(), random: @escaping @Sendable (Int64) -> Int64
    ) {
        self.limits = limits
        self.way = way
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
        warned = []
        renewed()
        hurry()
    }

    /// There are other credentials; what was refused with earlier ones is tried with these.
    package mutating func renewed() { credentials += 1 }

    /// A delay after so many failures in a row: full jitter over a doubling bound.
    func delay(after failures: Int) -> Int64 {
        let bound = min(limits.longestDelay, limits.firstDelay << Int64(min(failures, 20)))
        return bound / 2 + random(max(1, bound / 2))
    }
}
