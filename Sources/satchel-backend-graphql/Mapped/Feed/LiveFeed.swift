internal import JSON
internal import Platform
internal import PluginKit

/// The subscriptions of a context: kept up, and begun anew when their connection breaks.
final class LiveFeed {
    private let connection: MappedBackend.Connection
    private let host: PluginHost
    private let clock: Clock
    private let environment: Environment
    private let endpoint: Endpoint
    private var tellers: [LiveTeller] = []
    private var stream: (any LiveStream)?
    /// The thread of WebSockets, where there is one.
    private var service: WebSocketService?
    private var tries = 0
    /// When to connect again.
    private var nextTry: Int64 = 0
    /// When to look once more for what was written before the API listened.
    private var secondLook: Int64?
    private var isClosed = false

    private static let longestPause: Int64 = 60_000

    /// - Throws: Kind `.permanent` for an address that is none.
    init(
        _ connection: MappedBackend.Connection, _ plans: [MappedPlan], host: PluginHost,
        in environment: Environment, clock: Clock = .system
    ) throws(PluginError) {
        self.connection = connection
        self.host = host
        self.clock = clock
        self.environment = environment
        endpoint = try connection.mapping.liveEndpoint(or: connection.settings.endpoint)
        for plan in plans {
            tellers += plan.mapping.subscriptions.map { LiveTeller(plan, $0) }
        }
    }

    var descriptors: [Int32] { stream?.descriptors ?? [] }

    func close() {
        isClosed = true
        stream?.close()
        stream = nil
    }

    /// Does what there is to do now.
    func advance() -> PluginIdle {
        guard !isClosed else { return .done }
        let now = clock.monotonic()
        if let time = secondLook, now >= time {
            secondLook = nil
            host.gap()
        }
        if stream == nil, now >= nextTry { connect(now) }
        for signal in stream?.advance() ?? [] { take(signal) }
        var pause = stream?.pause ?? max(1, nextTry - now)
        if let secondLook { pause = min(pause, max(1, secondLook - now)) }
        return .later(milliseconds: pause)
    }

    private func take(_ signal: LiveSignal) {
        switch signal {
        case .opened:
            // What was written while nobody listened is pulled.
            host.gap()
            lookAgain()
        case .result(let place, let answer):
            if let fault = answer.errors.first, answer.data.isEmpty {
                return fail("it refuses a subscription: \(fault.message)")
            }
            tries = 0
            tellers[place].tell(answer, host)
        case .ended(let reason): fail(reason)
        }
    }

    /// No answer says that the API has begun to listen: what was written until then is looked for
    /// a little later.
    private func lookAgain() { secondLook = clock.monotonic() + 1_000 }

    private func connect(_ now: Int64) {
        lookAgain()
        for index in tellers.indices { tellers[index].begin() }
        let requests = tellers.map(\.request)
        let headers = connection.access.headers(for: [], to: endpoint, with: [], at: 0)
        switch connection.mapping.transport {
        case .off: break
        case .sse:
            do throws(HTTPFailure) {
                stream = try EventStream(
                    requests, to: endpoint, headers: headers, caFile: connection.settings.caFile)
            } catch {
                fail(error.message)
            }
        case .websocket:
            do throws(SystemError) {
                let service: WebSocketService
                if let known = self.service {
                    service = known
                } else {
                    service = try WebSocketService(
                        caFile: connection.settings.caFile,
                        proxy: Proxy.of(endpoint, in: environment))
                    self.service = service
                }
                stream = try SocketStream(
                    requests, to: endpoint, headers: headers, on: service, clock: clock)
            } catch {
                fail(error.message)
            }
        }
    }

    private func fail(_ reason: String) {
        stream?.close()
        stream = nil
        let pause = min(Self.longestPause, 500 << min(tries, 7))
        if tries == 0 || tries == 5 {
            host.log(.warning, "no live changes from \(endpoint.host) for now: \(reason)")
        }
        tries += 1
        nextTry = clock.monotonic() + Int64(pause)
    }
}

extension Mapping {
    /// Where subscriptions go.
    func liveEndpoint(or usual: Endpoint) throws(PluginError) -> Endpoint {
        guard let endpoint = liveURL else { return usual }
        guard endpoint.isSecure || endpoint.isLocal || !usual.isSecure else {
            throw .setting("mapping.live_url", "it would send credentials in the open")
        }
        return endpoint
    }
}
