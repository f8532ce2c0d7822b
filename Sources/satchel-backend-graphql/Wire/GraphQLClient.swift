package import PluginKit
package import Platform

/// Sends documents to one API, signed, and reads what comes back.
package final class GraphQLClient {
    package let endpoint: Endpoint
    /// How requests are signed from now on.
    package private(set) var access: AccessBook
    /// Gets other credentials of a kind and has them used; false where there are none.
    package var renew: (Access.Mode?) -> Bool = { _ in false }
    /// How often other credentials have come.
    private(set) var generation = 0
    private let http: HTTPClient
    private let clock: Clock
    private let timeout: Int64
    /// The server's clock ahead of ours, in milliseconds; known once it refused ours.
    private var skew: Int64 = 0
    /// Requests under way by the number that names them outside; a retry has a new one inside.
    private var running: [Int: Running] = [:]
    private var finished: [Int: Outcome] = [:]
    private var nextTicket = 1

    /// Milliseconds by which two readings of the server's time differ without saying anything.
    private static let tolerance: Int64 = 30_000

    package typealias Outcome = Result<GraphQLAnswer, Reply.Failure>

    private struct Running {
        var ticket: Int
        let request: GraphQLRequest
        let timeout: Int64
        var isSecondTry: Bool
        var skew: Int64
        var generation: Int
    }

    package init(
        _ endpoint: Endpoint, access: AccessBook, http: HTTPClient, timeout: Int64,
        clock: Clock = .system
    ) {
        self.endpoint = endpoint
        self.access = access
        self.http = http
        self.timeout = timeout
        self.clock = clock
    }

    /// Signs with other credentials from now on.
    package func use(_ access: AccessBook) {
        self.access = access
        generation += 1
    }

    /// Milliseconds since 1970 as the server has it, as far as is known.
    package var serverNow: Int64 { clock.now() + skew }

    /// Sends a request; `next` tells what it came to.
    ///
    /// - Returns: A number that names it from now on.
    package func begin(_ request: GraphQLRequest, within timeout: Int64? = nil) -> Int {
        let ticket = nextTicket
        nextTicket += 1
        send(request, as: ticket, within: timeout ?? self.timeout, isSecondTry: false)
        return ticket
    }

    /// Waits for a request to end, any of them.
    ///
    /// - Parameter beat: Called some times a second while it waits.
    /// - Throws: What `beat` throws; everything under way is given up then.
    /// - Returns: Nil when nothing is under way.
    package func next(
        _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) -> (ticket: Int, outcome: Outcome)? {
        while true {
            if let (ticket, outcome) = finished.first {
                finished[ticket] = nil
                return (ticket, outcome)
            }
            guard !running.isEmpty else { return nil }
            try advance(beat)
        }
    }

    /// Waits for one request; what else ends meanwhile is kept for later.
    ///
    /// - Throws: What `beat` throws, and why the request failed as a whole.
    package func answer(
        to ticket: Int, _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) -> GraphQLAnswer {
        while finished[ticket] == nil, running[ticket] != nil { try advance(beat) }
        switch finished.removeValue(forKey: ticket) {
        case .success(let answer)?: return answer
        case .failure(let failure)?: throw failure.error
        case nil: throw PluginError(.retryable, "the request was given up")
        }
    }

    package func ask(
        _ request: GraphQLRequest, within timeout: Int64? = nil,
        _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) -> GraphQLAnswer {
        try answer(to: begin(request, within: timeout), beat)
    }

    /// Asks for nothing: whether the API answers, and takes each kind of access.
    package func ping(
        within timeout: Int64, _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) {
        for mode in access.modes {
            let question = Document("query SatchelPing { __typename }", path: [], mode: mode)
            _ = try ask(GraphQLRequest(question), within: timeout, beat)
        }
    }

    /// Sends several requests, so many at a time, and waits for all.
    ///
    /// - Returns: What each came to, in their order.
    /// - Throws: What `beat` throws.
    package func askAll(
        _ requests: [GraphQLRequest], atOnce bound: Int, _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) -> [Outcome] {
        var outcomes: [Int: Outcome] = [:]
        var places: [Int: Int] = [:]
        var next = 0
        while outcomes.count < requests.count {
            while next < requests.count, places.count < max(1, bound) {
                places[begin(requests[next])] = next
                next += 1
            }
            guard let (ticket, outcome) = try self.next(beat) else { break }
            guard let place = places.removeValue(forKey: ticket) else { continue }
            outcomes[place] = outcome
        }
        return requests.indices.compactMap { outcomes[$0] }
    }

    /// Asks a question for the sake of the server's time, where signatures depend on it.
    ///
    /// - Returns: True when it is another than was taken for it so far.
    package func askTime(by mode: Access.Mode?, within timeout: Int64) -> Bool {
        guard access[mode].isTimed else { return false }
        let known = skew
        let question = Document("query SatchelTime { __typename }", path: [], mode: mode)
        do throws(PluginError) { _ = try ask(GraphQLRequest(question), within: timeout) {} } catch {
            // A refusal tells the time as well.
        }
        return abs(skew - known) > Self.tolerance
    }

    /// Lets time pass while requests under way move on.
    ///
    /// - Throws: What `beat` throws; everything under way is given up then.
    package func pause(
        _ milliseconds: Int64, _ beat: () throws(PluginError) -> Void
    ) throws(PluginError) {
        let end = clock.monotonic() + milliseconds
        while true {
            let left = end - clock.monotonic()
            guard left > 0 else { return }
            http.pause(Int32(min(left, 50)))
            do throws(PluginError) { try beat() } catch {
                abandonAll()
                throw error
            }
        }
    }

    package func abandon(_ ticket: Int) {
        finished[ticket] = nil
        if let running = running.removeValue(forKey: ticket) { http.abandon(running.ticket) }
    }

    package func abandonAll() {
        for ticket in running.keys { abandon(ticket) }
        finished = [:]
    }
}

extension GraphQLClient {
    /// Lets the requests move on until one has ended, or a moment has passed.
    private func advance(_ beat: () throws(PluginError) -> Void) throws(PluginError) {
        guard let completion = http.next(within: 50) else {
            do throws(PluginError) { try beat() } catch {
                abandonAll()
                throw error
            }
            return
        }
        let entry = running.first { $0.value.ticket == completion.ticket }
        guard let (ticket, running) = entry else { return }
        self.running[ticket] = nil
        switch completion.outcome {
        case .failure(let failure):
            finished[ticket] = .failure(Reply.Failure(failure, host: endpoint.host))
        case .success(let response):
            switch Reply(response, host: endpoint.host) {
            case .answer(let answer): finished[ticket] = .success(answer)
            case .failure(let failure):
                if !running.isSecondTry, canDoBetter(failure, response, running) {
                    return send(
                        running.request, as: ticket, within: running.timeout, isSecondTry: true)
                }
                finished[ticket] = .failure(failure)
            }
        }
    }

    /// True when a request that was refused is worth a second try, signed anew.
    private func canDoBetter(
        _ failure: Reply.Failure, _ response: HTTPResponse, _ running: Running
    ) -> Bool {
        let mode = running.request.document.mode
        if failure.blamesClock, access[mode].isTimed, learnTime(response, running.skew) {
            return true
        }
        guard failure.error.kind == .auth, failure.isWithoutEffect else { return false }
        return running.generation != generation || renew(mode)
    }

    /// Takes the server's word on the time; false when that changes nothing.
    private func learnTime(_ response: HTTPResponse, _ used: Int64) -> Bool {
        guard let theirs = response.header("Date").flatMap(AmazonTime.milliseconds(ofHeader:))
        else { return false }
        skew = theirs - clock.now()
        return abs(skew - used) > Self.tolerance
    }

    private func send(
        _ request: GraphQLRequest, as ticket: Int, within timeout: Int64, isSecondTry: Bool
    ) {
        let body = request.body
        var headers = [HTTPHeader("Content-Type", "application/json; charset=UTF-8")]
        headers += access[request.document.mode].headers(
            for: body, to: endpoint, with: headers, at: serverNow)
        headers.append(HTTPHeader("Accept", "application/json"))
        headers.append(HTTPHeader("User-Agent", "satchel"))
        let message = HTTPRequest(
            url: endpoint.url, headers: headers, body: body, timeout: timeout,
            hasEffect: request.document.isMutation)
        do throws(HTTPFailure) {
            running[ticket] = Running(
                ticket: try http.begin(message), request: request, timeout: timeout,
                isSecondTry: isSecondTry, skew: skew, generation: generation)
        } catch {
            finished[ticket] = .failure(Reply.Failure(error, host: endpoint.host))
        }
    }
}
