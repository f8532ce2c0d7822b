import JSON
import Records
import Testing
import satchel_backend_graphql

@Suite struct `The order of live subscriptions` {
    private let subjects: [LiveSubject]

    init() {
        let schema = Schema.fixture
        let surface = Surface(guessing: schema, isVersioned: true)
        subjects = schema.models.flatMap { model -> [LiveSubject] in
            guard let operations = surface.models[model.name] else { return [] }
            let plan = ModelPlan(model, in: schema, operations)
            return ModelPlan.Write.allCases.compactMap {
                LiveSubject(plan, $0, names: [], filter: nil)
            }
        }
    }

    private func session(_ count: Int, _ limits: LiveSession.Limits = .init()) -> LiveSession {
        LiveSession(Array(subjects.prefix(count)), limits: limits) { $0 - 1 }
    }

    /// The ids of the starts among effects.
    private func starts(_ effects: [LiveSession.Effect]) -> [String] {
        effects.compactMap { if case .start(_, let id, _, _) = $0 { id } else { nil } }
    }

    /// A session of which all stand, on one connection, and the ids.
    private func standing(_ count: Int) -> (LiveSession, [String]) {
        var session = session(count)
        #expect(session.step(0) == [.connect(line: 0)])
        session.opened(0, 0)
        #expect(session.step(0) == [.greet(line: 0)])
        session.received(0, .acknowledged(timeout: 300_000), 0)
        let ids = starts(session.step(0))
        #expect(ids.count == count)
        for id in ids { session.received(0, .started(id: id), 0) }
        #expect(session.isSettled)
        #expect(session.step(0) == [])
        return (session, ids)
    }

    @Test func `is one connection at first, and one word of a gap after a loss`() {
        var (session, _) = standing(6)
        session.ended(0, WebSocket.Ending(.cut, ""), 100)
        #expect(session.step(100) == [])
        let wake = session.wakeAt() ?? .max
        #expect(wake > 100 && wake <= 700)
        #expect(session.step(wake) == [.connect(line: 0)])
        session.opened(0, wake)
        session.received(0, .acknowledged(timeout: nil), wake)
        let ids = starts(session.step(wake))
        for id in ids.dropLast() { session.received(0, .started(id: id), wake) }
        #expect(session.step(wake) == [])
        session.received(0, .started(id: ids[5]), wake + 1)
        #expect(session.step(wake + 1) == [.gap])
        #expect(session.step(wake + 5_000) == [])
    }

    @Test func `waits longer after each failure, and never without end`() {
        var session = session(1)
        var now: Int64 = 0
        var waits: [Int64] = []
        for _ in 0..<12 {
            #expect(session.step(now) == [.connect(line: 0)])
            session.ended(0, WebSocket.Ending(.unreachable, ""), now)
            _ = session.step(now)
            let wake = session.wakeAt() ?? .max
            waits.append(wake - now)
            now = wake
        }
        #expect(waits == waits.sorted())
        #expect(waits.last.map { $0 <= 60_000 && $0 > 25_000 } == true)
    }

    /// Ends of connections that never stood, and after how many of them it is told.
    static let failures: [(kind: WebSocket.Ending.Kind, told: Int?)] = [
        (.refused(status: 404), 1), (.untrusted, 1), (.insecure, 1), (.refused(status: 429), 5),
        (.refused(status: 503), 5), (.unreachable, 5), (.late, 5), (.cut, nil),
        (.closed(code: 1006), nil),
    ]

    @Test(arguments: failures) func `tells once that no connection comes to stand`(
        _ row: (kind: WebSocket.Ending.Kind, told: Int?)
    ) {
        var session = session(1)
        var now: Int64 = 0
        var told: [Int] = []
        for count in 1...8 {
            _ = session.step(now)
            session.ended(0, WebSocket.Ending(row.kind, "words"), now)
            let warnings = session.step(now).filter { if case .warn = $0 { true } else { false } }
            if !warnings.isEmpty { told.append(count) }
            now = session.wakeAt() ?? .max
        }
        #expect(told == (row.told.map { [$0] } ?? []))
        // Once one stood, it is news again.
        _ = session.step(now)
        session.opened(0, now)
        session.received(0, .acknowledged(timeout: nil), now)
        for id in starts(session.step(now)) { session.received(0, .started(id: id), now) }
        session.ended(0, WebSocket.Ending(.cut, ""), now)
        _ = session.step(now)
        now = session.wakeAt() ?? .max
        _ = session.step(now)
        session.ended(0, WebSocket.Ending(.untrusted, ""), now)
        let warnings = session.step(now).filter { if case .warn = $0 { true } else { false } }
        #expect(warnings.count == 1)
    }

    @Test func `warns of a model once, though others of its subscriptions come to stand`() {
        var session = session(3)
        var now: Int64 = 0
        var warnings = 0
        for round in 1...60 {
            for effect in session.step(now) {
                switch effect {
                case .connect:
                    session.opened(0, now)
                    session.received(0, .acknowledged(timeout: nil), now)
                case .start(_, let id, _, _):
                    if id.hasPrefix("0.") {
                        session.received(
                            0, .failed(id: id, [LiveFault(type: "", message: "no")]), now)
                    } else {
                        session.received(0, .started(id: id), now)
                    }
                case .warn: warnings += 1
                default: break
                }
            }
            for effect in session.step(now) { if case .warn = effect { warnings += 1 } }
            // Those that stand break off from time to time; the other is tried again and again.
            if round % 4 == 0 { session.ended(0, WebSocket.Ending(.cut, ""), now) }
            now = max(now + 1, session.wakeAt() ?? now)
        }
        #expect(warnings == 1)
    }

    @Test func `warns of a model once, whichever of its subscriptions are refused`() {
        var session = session(3)
        _ = session.step(0)
        session.opened(0, 0)
        session.received(0, .acknowledged(timeout: nil), 0)
        for id in starts(session.step(0)) {
            let fault = LiveFault(type: "Unauthorized", message: "no")
            session.received(0, .failed(id: id, [fault]), 0)
        }
        var warnings = 0
        for _ in 1...3 {
            for effect in session.step(0) {
                if case .warn = effect { warnings += 1 }
                if case .start(_, let id, _, _) = effect {
                    let fault = LiveFault(type: "Unauthorized", message: "no")
                    session.received(0, .failed(id: id, [fault]), 0)
                }
            }
        }
        #expect(session.isSettled)
        #expect(warnings == 1)
    }

    @Test func `gives up what is not answered in time`() {
        var session = session(2)
        _ = session.step(0)
        session.opened(0, 0)
        _ = session.step(0)
        // The greeting is not answered.
        #expect(session.step(14_999) == [])
        #expect(session.step(15_000) == [.disconnect(line: 0)])
        let again = session.wakeAt() ?? .max
        #expect(session.step(again) == [.connect(line: 0)])
        session.opened(0, again)
        session.received(0, .acknowledged(timeout: nil), again)
        let ids = starts(session.step(again))
        session.received(0, .started(id: ids[0]), again)
        // One start is not: it is stopped and tried once more; a late word of it is not taken.
        let late = again + 15_000
        session.received(0, .keepAlive, late)
        #expect(session.step(late) == [.stop(line: 0, id: ids[1])])
        session.received(0, .started(id: ids[1]), late)
        #expect(session.step(late) == [.stop(line: 0, id: ids[1])])
        #expect(starts(session.step(session.wakeAt() ?? .max)).count == 1)
    }

    @Test(
        arguments: [(0, 1_000), (-5, 1_000), (Int64.max, 600_000), (30_000, 30_000)]
            as [(Int64, Int64)])
    func `bears a silence as long as the server says, within reason`(
        _ said: Int64, _ borne: Int64
    ) {
        var session = session(1)
        _ = session.step(0)
        session.opened(0, 0)
        session.received(0, .acknowledged(timeout: said), 0)
        let ids = starts(session.step(0))
        session.received(0, .started(id: ids[0]), 0)
        #expect(session.step(borne - 1) == [])
        #expect(session.step(borne) == [.disconnect(line: 0)])
    }

    @Test func `takes another connection where one is full, and no third for nothing`() {
        var session = session(5)
        _ = session.step(0)
        session.opened(0, 0)
        session.received(0, .acknowledged(timeout: nil), 0)
        let ids = starts(session.step(0))
        let full = LiveFault(type: "MaxSubscriptionsReachedError")
        for id in ids.prefix(3) { session.received(0, .started(id: id), 0) }
        for id in ids.suffix(2) { session.received(0, .failed(id: id, [full]), 0) }
        #expect(session.step(0).filter { $0 != .greet(line: 0) } == [.connect(line: 1)])
        session.opened(1, 1)
        session.received(1, .acknowledged(timeout: nil), 1)
        let others = starts(session.step(1))
        #expect(others.count == 2)
        for id in others { session.received(1, .started(id: id), 1) }
        #expect(session.isSettled)
        #expect(session.step(1) == [])
    }

    @Test func `is not led to connect without end by a server that is always full`() {
        var session = session(3)
        var now: Int64 = 0
        var connections = 0
        let full = LiveFault(type: "MaxSubscriptionsReachedError")
        for _ in 0..<200 {
            for effect in session.step(now) {
                switch effect {
                case .connect(let line):
                    connections += 1
                    session.opened(line, now)
                    session.received(line, .acknowledged(timeout: nil), now)
                case .start(let line, let id, _, _):
                    session.received(line, .failed(id: id, [full]), now)
                default: break
                }
            }
            now = max(now + 1, min(session.wakeAt() ?? now, now + 100_000))
        }
        #expect(connections <= 20)
        // Time went by in long steps.
        #expect(now > 600_000)
    }

    @Test func `is not kept busy by a server that talks nonsense`() {
        var (session, ids) = standing(3)
        var gaps = 0
        for time in 0..<19 {
            session.received(0, .garbage, Int64(time))
            gaps += session.step(Int64(time)).count { $0 == .gap }
        }
        #expect(gaps == 1)
        session.received(0, .data(id: "999999999999.1", GraphQLAnswer()), 20)
        session.received(0, .data(id: "x", GraphQLAnswer()), 20)
        session.received(0, .data(id: ids[0], GraphQLAnswer()), 20)
        session.received(7, .garbage, 20)
        #expect(session.step(20) == [])
        #expect(session.step(1_100) == [.gap])
        for time in 0..<20 { session.received(0, .garbage, Int64(1_200 + time)) }
        #expect(session.step(1_300).contains(.disconnect(line: 0)))
    }

    @Test func `asks once for other credentials, and waits long for them`() {
        var (session, ids) = standing(4)
        let fault = LiveFault(type: "UnauthorizedException", message: "Token has expired.")
        session.received(0, .failed(id: ids[1], [fault]), 10)
        let effects = session.step(10)
        #expect(effects.first == .disconnect(line: 0))
        let renewals = effects.filter { if case .renew = $0 { true } else { false } }
        guard case .renew(nil, let words?)? = renewals.first, renewals.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(words.contains("Token has expired"))
        #expect(session.step(59_000) == [])
        #expect((session.wakeAt() ?? 0) >= 60_000)
        session.reconsider()
        #expect(session.step(59_001) == [.connect(line: 0)])
    }

    @Test func `tries once more what was refused with credentials before the last`() {
        // A start's refusal that comes late.
        var (session, ids) = standing(4)
        let fault = LiveFault(type: "UnauthorizedException", message: "Token has expired.")
        session.renewed()
        session.received(0, .failed(id: ids[1], [fault]), 10)
        let effects = session.step(10)
        #expect(starts(effects).count == 1)
        #expect(effects.count == 1, "\(effects)")
        // With the same ones it waits for others.
        session.received(0, .failed(id: starts(effects).first, [fault]), 20)
        #expect(session.step(20).contains { if case .renew = $0 { true } else { false } })
        // A connection's.
        (session, ids) = standing(4)
        session.renewed()
        session.received(0, .refused([fault]), 10)
        #expect(session.step(10) == [.disconnect(line: 0), .connect(line: 0)])
        session.received(0, .refused([fault]), 20)
        #expect(session.step(20).contains { if case .renew = $0 { true } else { false } })
    }

    @Test func `says which other ways there are where a handshake is refused`() {
        let endings: [WebSocket.Ending.Kind] = [
            .refused(status: 400), .refused(status: 403), .refused(status: 404),
        ]
        for kind in endings {
            var (session, _) = standing(4)
            session.received(0, .refused([]), 10)
            _ = session.step(10)
            let later = session.wakeAt() ?? 0
            _ = session.step(later)
            session.ended(0, WebSocket.Ending(kind, "no"), later)
            let words = session.step(later).compactMap { effect in
                switch effect {
                case .renew(_, let words?), .warn(let words): words
                default: nil
                }
            }
            #expect(
                words.joined().contains("config.realtime_auth: query or headers"),
                "\(kind) \(words)")
        }
    }

    @Test func `begins again what the server completes`() {
        var (session, ids) = standing(2)
        session.received(0, .completed(id: ids[0]), 10)
        let again = starts(session.step(session.wakeAt() ?? .max))
        #expect(again.count == 1)
        session.received(0, .started(id: again[0]), 20_000)
        #expect(session.step(20_000).contains(.gap))
    }

    @Test(
        arguments: [
            ("{\"type\":\"ka\"}", LiveMessage.keepAlive), ("nothing", .garbage), ("", .garbage),
            ("[]", .garbage), ("{\"type\":\"data\"}", .garbage), ("{\"type\":7}", .garbage),
            (
                "{\"type\":\"connection_ack\",\"payload\":{\"connectionTimeoutMs\":5}}",
                .acknowledged(timeout: 5)
            ),
            ("{\"type\":\"connection_ack\",\"payload\":null}", .acknowledged(timeout: nil)),
            (
                "{\"type\":\"error\",\"payload\":{\"errors\":{\"errorType\":\"A:B\",\"message\":\"m\"}}}",
                .failed(id: nil, [LiveFault(type: "B", message: "m")])
            ),
            (
                "{\"type\":\"error\",\"id\":\"1\",\"payload\":{\"errors\":[{\"errorCode\":401}]}}",
                .failed(id: "1", [LiveFault(type: "", code: 401)])
            ),
            ("{\"type\":\"error\",\"id\":\"1\"}", .failed(id: "1", [])),
            ("{\"type\":\"complete\",\"id\":\"1\"}", .completed(id: "1")),
            ("{\"type\":\"data\",\"id\":\"1\",\"payload\":{}}", .data(id: "1", GraphQLAnswer())),
        ] as [(String, LiveMessage)])
    func `takes every word of a server for what it is`(_ text: String, _ message: LiveMessage) {
        #expect(LiveMessage(Array(text.utf8)) == message)
    }

    @Test func `of an API is found beside an address of AWS, and below one's own`() throws {
        let table = [
            (
                "https://abc.appsync-api.eu-west-1.amazonaws.com/graphql",
                "https://abc.appsync-realtime-api.eu-west-1.amazonaws.com/graphql"
            ),
            (
                "https://abc.appsync-api.cn-north-1.amazonaws.com.cn/graphql",
                "https://abc.appsync-realtime-api.cn-north-1.amazonaws.com.cn/graphql"
            ),
            ("https://api.example.com/graphql", "https://api.example.com/graphql/realtime"),
            ("http://127.0.0.1:8080/graphql", "http://127.0.0.1:8080/graphql/realtime"),
        ]
        for (url, realTime) in table { #expect(try Endpoint(url).realTime.url == realTime) }
    }
}
