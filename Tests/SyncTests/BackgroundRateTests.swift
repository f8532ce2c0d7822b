import Records
import Storage
import Sync
import Testing

@Suite struct `A session's turns` {
    /// Something a backend, or the store, does all the time.
    struct Trouble: Sendable, CustomTestStringConvertible {
        var name: String
        /// Sets it up, before the session begins.
        var begin: @Sendable (Office) throws -> Void
        /// What a person does once it is over.
        var after: @Sendable (inout BackgroundSync, Office) throws -> Void = { _, _ in }
        /// Minutes to look on.
        var minutes: Int64 = 20
        /// True where a line for events is open, which is looked at several times a second.
        var hasLine = false
        var testDescription: String { name }
    }

    static let kinds: [BackendError.Kind] = [
        .retryable, .rateLimited(afterMilliseconds: nil), .rateLimited(afterMilliseconds: 0),
        .rateLimited(afterMilliseconds: 20_000), .auth, .permanent, .cursorExpired, .tooLarge,
        .unsupported, .cancelled, .broken, .hung, .unavailable, .untrusted,
    ]

    private static func each(
        _ what: String, _ begin: @escaping @Sendable (Office, BackendError) -> Void
    ) -> [Trouble] {
        kinds.map { kind in
            Trouble(
                name: "\(what): \(kind)",
                begin: { begin($0, BackendError(kind, "trouble")) },
                after: { background, _ in if kind == .auth { background.receive(.loggedIn) } })
        }
    }

    static let refusals =
        each("ping") { office, error in
            office.shelf.onPing = { () throws(BackendError) in throw error }
        }
        + each("capabilities") { office, error in
            office.shelf.onCapabilities = { () throws(BackendError) in throw error }
        }
        + each("pull") { office, error in
            office.shelf.beforePull = { (_) throws(BackendError) in throw error }
        }
        + each("pull, after it said to wait") { office, error in
            let end = office.clock.now + 60_000
            office.shelf.beforePull = { [unowned office] (_) throws(BackendError) in
                if office.clock.now >= end { throw error }
                throw BackendError(.rateLimited(afterMilliseconds: 5_000), "429")
            }
        }
        + each("push") { office, error in
            office.shelf.beforePush = { (_) throws(BackendError) in throw error }
        }
        + each("answer to a push") { office, error in
            office.shelf.afterPush = { () throws(BackendError) in throw error }
        }
        + each("every second request") { office, error in
            var count = 0
            let flutter = { () throws(BackendError) in
                count += 1
                if count % 2 == 0 { throw error }
            }
            office.shelf.onPing = flutter
            office.shelf.beforePush = { (_) throws(BackendError) in try flutter() }
            office.shelf.beforePull = { (_) throws(BackendError) in try flutter() }
        }
        + each("subscribe") { office, error in
            office.shelf.able.hasEvents = true
            office.shelf.onSubscribe = { () throws(BackendError) in throw error }
        }
        + each("subscribe, after ten seconds") { office, error in
            office.shelf.able.hasEvents = true
            office.shelf.onSubscribe = { [unowned office] () throws(BackendError) in
                office.clock.now += 10_000
                throw error
            }
        }
        + each("events") { office, error in
            office.shelf.able.hasEvents = true
            office.shelf.onEvents = { () throws(BackendError) in throw error }
        }
        + each("events, where a pull takes its time") { office, error in
            office.shelf.able.hasEvents = true
            office.shelf.beforePull = { [unowned office] (_) throws(BackendError) in
                office.clock.now += 600
            }
            office.shelf.onEvents = { () throws(BackendError) in throw error }
        }

    static let verdicts: [(String, PushOutcome)] = [
        ("retry at once", .retry(message: "later", afterMilliseconds: 0)),
        ("retry", .retry(message: "later", afterMilliseconds: nil)),
        ("auth", .auth(message: "not you")), ("unknown", .unknown(message: "no idea")),
        ("conflict with what it does not say", .conflict(.unknown)),
    ]

    static let others =
        verdicts.map { name, outcome in
            Trouble(name: "verdict: \(name)") { office in
                office.shelf.verdict = { _ in outcome }
            } after: { background, _ in
                background.receive(.loggedIn)
            }
        } + [
            Trouble(name: "no verdict") { $0.shelf.isTold = { _ in false } },
            Trouble(name: "takes no changes") { $0.shelf.able.pushes = false },
            Trouble(name: "a change behind one in conflict") { office in
                try office.create("Post", "stuck")
                guard var first = try office.store.mutations().last else { return }
                first.state = .conflict
                first.isFrozen = true
                var second = first
                second.state = .queued
                second.key = "behind"
                second.kind = .update
                try office.store.write { () throws(StoreError) in
                    try office.store.updateMutation(first)
                    _ = try office.store.appendMutation(second)
                }
            },
            Trouble(name: "another process holds the lease") { office in
                try office.another("other").takeLease()
            },
            Trouble(name: "another data set, after it said to wait") { office in
                office.sync()
                let end = office.clock.now + 60_000
                office.shelf.beforePull = { [unowned office] (_) throws(BackendError) in
                    if office.clock.now >= end { office.shelf.name = "another" }
                    throw BackendError(.rateLimited(afterMilliseconds: 5_000), "429")
                }
            } after: { _, office in
                office.sync { $0.acceptRemote = true }
            },
            Trouble(name: "a reset, after it said to wait") { office in
                for id in ["a", "b", "c"] { office.shelf.write("Post", id, []) }
                office.sync()
                let end = office.clock.now + 60_000
                for id in ["a", "b", "c"] { office.shelf.lose("Post", id) }
                office.shelf.epoch = 2
                office.shelf.beforePull = { [unowned office] (_) throws(BackendError) in
                    if office.clock.now >= end { return }
                    throw BackendError(.rateLimited(afterMilliseconds: 5_000), "429")
                }
            } after: { background, office in
                background.heard(office.sync { $0.acceptDeletions = true })
            },
            Trouble(name: "the store cannot be written") { office in
                office.clock.onStore = { (point) throws(StoreError) in
                    if point == .begin { throw StoreError(.full, "no room") }
                }
            },
            Trouble(name: "the store cannot be read") { office in
                office.clock.onStore = { (point) throws(StoreError) in
                    if point == .statement { throw StoreError(.busy, "locked") }
                }
            },
        ]

    static let lines = [
        ("a gap each time", [RemoteEvent.gap]),
        (
            "a change that is none",
            [
                .changed(
                    model: "Post", id: RecordID("none"), version: nil, record: nil,
                    deleted: false, originKey: nil)
            ]
        ),
    ].flatMap { name, events in
        [true, false].map { hasDelta in
            Trouble(name: "events: \(name)\(hasDelta ? "" : ", without deltas")") { office in
                office.shelf.able.hasEvents = true
                office.shelf.able.hasDelta = hasDelta
                office.shelf.onEvents = { [unowned office] () throws(BackendError) in
                    office.shelf.events = events
                }
            }
        }
    }.map { trouble in
        var trouble = trouble
        trouble.hasLine = true
        trouble.minutes = 5
        return trouble
    }

    @Test(arguments: refusals + others + lines)
    func `are few whatever goes wrong, and what can go goes once that is over`(
        _ trouble: Trouble
    ) throws {
        let office = try Office()
        // The shortest delay of all that may be drawn.
        office.clock.random = 0
        office.shelf.write("Post", "theirs", [])
        try office.create("Post", "mine")
        try trouble.begin(office)
        let told = Told()
        var background = BackgroundSync(
            engine: office.engine, backend: office.shelf, isPaused: false,
            notify: { told.add($0) })
        let asked = office.shelf.requests
        let turns = run(&background, office, minutes: trouble.minutes)
        // Four or so a minute are polls.
        #expect(turns < (trouble.hasLine ? 2_000 : 200))
        #expect(office.shelf.requests - asked < 700)
        #expect(told.count < 100)

        calm(office)
        try trouble.after(&background, office)
        _ = run(&background, office, minutes: 10)
        #expect(try office.shown("Post", "theirs") != nil)
        let left = try office.store.mutations().filter {
            $0.state != .rejected && $0.state != .conflict && $0.id.text != "stuck"
        }
        #expect(left.isEmpty)
    }

    private final class Told {
        private(set) var count = 0

        func add(_ notice: BackgroundSync.Notice) {
            if case .record(.modelRefused) = notice { return }
            count += 1
        }
    }

    /// Takes turns when they are due; no more than so many, should they come without a pause.
    private func run(
        _ background: inout BackgroundSync, _ office: Office, minutes: Int64
    ) -> Int {
        let end = office.clock.now + minutes * 60_000
        var turns = 0
        while office.clock.now < end, turns < 10_000 {
            background.turn()
            turns += 1
            office.clock.now = max(office.clock.now, background.wakeAt ?? end)
        }
        return turns
    }

    private func calm(_ office: Office) {
        let shelf = office.shelf
        shelf.onPing = {}
        shelf.onCapabilities = {}
        shelf.beforePull = { _ in }
        shelf.beforePush = { _ in }
        shelf.afterPush = {}
        shelf.onSubscribe = {}
        shelf.onEvents = {}
        shelf.verdict = { _ in nil }
        shelf.isTold = { _ in true }
        shelf.able.pushes = true
        office.clock.isAlive = false
        office.clock.onStore = { _ in }
    }
}
