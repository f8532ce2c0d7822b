internal import JSON
internal import Platform
internal import PluginKit

/// The sockets of the live layer: carries out what its session decides, on the thread that answers
/// the host, and never waits for the network.
final class LiveLink {
    private let client: GraphQLClient
    private let address: Endpoint
    private let way: Access.RealTimeWay
    private let plans: [String: ModelPlan]
    private let subjects: [LiveSubject]
    private let host: PluginHost
    private let service: WebSocketService
    private let clock: Clock
    /// Gets other credentials of a kind; true when there are some.
    private let renew: (Access.Mode?) -> Bool
    private var session: LiveSession
    /// Of the client's access, as the session knows it.
    private var generation: Int
    private var sockets: [Int: WebSocket] = [:]

    /// Messages that one turn takes in, so that the host's next request is not kept waiting.
    private static let atOnce = 10_000

    init(
        _ subjects: [LiveSubject], _ plans: [String: ModelPlan], _ client: GraphQLClient,
        address: Endpoint, way: Access.RealTimeWay = .subprotocol, service: WebSocketService,
        host: PluginHost, clock: Clock = .system,
        renew: @escaping (Access.Mode?) -> Bool
    ) {
        self.client = client
        self.address = address
        self.way = way
        generation = client.generation
        self.plans = plans
        self.subjects = subjects
        self.host = host
        self.service = service
        self.clock = clock
        self.renew = renew
        session = LiveSession(subjects, way: way) { bound in
            var numbers = SystemRandomNumberGenerator()
            return Int64.random(in: 0..<max(1, bound), using: &numbers)
        }
    }

    /// Readable when there is something to do.
    var descriptors: [Int32] { sockets.values.map(\.descriptor) }

    /// Milliseconds until something is due; nil for nothing.
    var pause: Int64? { session.wakeAt().map { max(0, $0 - clock.monotonic()) } }

    /// What an earlier wait was for need not be waited for any more.
    func hurry() { session.hurry() }

    /// Waits until all subscriptions stand or will not, for so long at most.
    ///
    /// What stands later than that counts as having missed something.
    func settle(within milliseconds: Int64, _ call: PluginCall) throws(PluginError) {
        let end = clock.monotonic() + milliseconds
        turn()
        while !session.isSettled {
            let left = end - clock.monotonic()
            guard left > 0 else { break }
            // A server that is not to be asked again so soon is not waited for.
            if sockets.isEmpty, pause ?? left >= left { break }
            try call.checkCancelled()
            _ = Poll.wait(reading: descriptors, milliseconds: min(left, pause ?? left, 50))
            turn()
        }
        session.expectAll()
    }

    /// Takes in what has come and does what is due.
    func turn() {
        if client.generation != generation {
            generation = client.generation
            session.renewed()
        }
        var left = Self.atOnce
        for (line, socket) in sockets {
            for event in socket.takeAll() {
                take(event, line)
                left -= 1
            }
            if left <= 0 { break }
        }
        // What is done may make more to do, but no message comes in between.
        for effect in session.step(clock.monotonic()) { perform(effect) }
        for effect in session.step(clock.monotonic()) { perform(effect) }
    }

    private func take(_ event: WebSocket.Event, _ line: Int) {
        let now = clock.monotonic()
        switch event {
        case .opened: session.opened(line, now)
        case .message(let bytes): session.received(line, LiveMessage(bytes), now)
        case .ended(let ending):
            sockets[line] = nil
            host.log(.debug, "live connection \(line): \(ending.message)")
            session.ended(line, ending, now)
        }
    }
}

extension LiveLink {
    private func perform(_ effect: LiveSession.Effect) {
        switch effect {
        case .connect(let line): connect(line)
        case .disconnect(let line): sockets[line] = nil
        case .greet(let line): sockets[line]?.send("{\"type\":\"connection_init\"}")
        case .start(let line, let id, let subject, let attempt):
            sockets[line]?.send(start(id, subjects[subject].request(attempt)))
        case .stop(let line, let id):
            let message: JSONValue = ["id": .string(id), "type": "stop"]
            sockets[line]?.send(message.bytes())
        case .changed(let subject, let value): tell(subjects[subject], value)
        case .gap: host.gap()
        case .renew(let mode, let words):
            if renew(mode) {
                generation = client.generation
                session.reconsider()
            } else if let words {
                host.log(.warning, words)
            }
        case .warn(let words): host.log(.warning, words)
        }
    }

    private func connect(_ line: Int) {
        let request = client.access.usual.handshake(
            way, at: address, to: client.endpoint, at: client.serverNow)
        do throws(SystemError) {
            sockets[line] = try WebSocket(request, on: service)
        } catch {
            session.ended(line, WebSocket.Ending(.other, error.message), clock.monotonic())
        }
    }

    private func start(_ id: String, _ request: GraphQLRequest) -> [UInt8] {
        let data = request.body
        let header = client.access[request.document.mode].realTime(
            data, to: client.endpoint, isConnection: false, at: client.serverNow)
        let message: JSONValue = [
            "id": .string(id), "type": "start",
            "payload": [
                "data": .string(String(decoding: data, as: UTF8.self)),
                "extensions": ["authorization": .object(header)],
            ],
        ]
        return message.bytes()
    }

    private func tell(_ subject: LiveSubject, _ value: JSONValue) {
        guard let plan = plans[subject.model], let told = plan.told(value, subject.verb) else {
            return session.missed(clock.monotonic())
        }
        host.event(
            model: subject.model, id: told.id, version: told.version,
            content: told.isDeleted ? .deleted : .unseen)
    }
}
