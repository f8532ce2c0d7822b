import JSON
import PluginKit
import Records
import Testing
import satchel_backend_graphql

/// A write that was acknowledged, and a state that is read afterwards.
struct LateRead: CustomTestStringConvertible {
    var operation: PluginOperation
    var verdict: PluginVerdict
    var read: satchel_backend_graphql.Item
    var isPast: Bool

    var testDescription: String { "\(operation.kind) \(verdict), then \(read)" }
}

@Suite struct `What is read after a write of ours` {
    static let record = JSONObject([("id", "p1")])
    static func read(_ version: JSONValue?) -> satchel_backend_graphql.Item {
        .record(RecordID("p1"), version: version, record)
    }
    static func gone(_ version: JSONValue?) -> satchel_backend_graphql.Item {
        .deleted(RecordID("p1"), version: version)
    }
    static func ok(_ version: JSONValue?) -> PluginVerdict { .ok(version: version, record: record) }

    static let early: JSONValue = "2026-11-30T10:00:00.000Z"
    static let late: JSONValue = "2026-11-30T10:00:00.001Z"
    static let update = PluginOperation.update("p1", [:], on: 4)
    static let delete = PluginOperation.delete("p1", on: 4)

    static let table = [
        LateRead(operation: update, verdict: ok(5), read: read(4), isPast: true),
        LateRead(operation: update, verdict: ok(5), read: read(2), isPast: true),
        LateRead(operation: update, verdict: ok(5), read: read(5), isPast: false),
        LateRead(operation: update, verdict: ok(5), read: read(6), isPast: false),
        LateRead(operation: update, verdict: ok(5), read: read(nil), isPast: false),
        LateRead(operation: update, verdict: ok(5), read: gone(3), isPast: true),
        LateRead(operation: update, verdict: ok(5), read: gone(6), isPast: false),
        LateRead(operation: update, verdict: .retry(message: ""), read: read(3), isPast: false),
        LateRead(
            operation: update, verdict: .conflict(version: 7, record: record), read: read(6),
            isPast: true),
        LateRead(
            operation: delete, verdict: .ok(version: 5, record: nil), read: read(4), isPast: true),
        LateRead(
            operation: delete, verdict: .ok(version: 5, record: nil), read: read(6), isPast: false),
        LateRead(operation: .create("p1"), verdict: ok(1), read: read(1), isPast: false),
        LateRead(
            operation: .update("p1", [:], on: early), verdict: ok(late), read: read(early),
            isPast: true),
        LateRead(
            operation: .update("p1", [:], on: early), verdict: ok(late), read: read(late),
            isPast: false),
        LateRead(
            operation: .update("p1", [:], on: "#a"), verdict: ok("#b"), read: read("#a"),
            isPast: true),
        LateRead(
            operation: .update("p1", [:], on: "#a"), verdict: ok("#b"), read: read("#c"),
            isPast: false),
        LateRead(
            operation: .delete("p1", on: early), verdict: .ok(version: nil, record: nil),
            read: read(early), isPast: true),
        LateRead(
            operation: .delete("p1", on: early), verdict: .ok(version: nil, record: nil),
            read: read(late), isPast: false),
    ]

    @Test(arguments: table) func `is left out where it is older than that`(_ row: LateRead) {
        var known = KnownStates()
        known.note(row.operation, row.verdict, at: 1_000)
        #expect(known.isPast(row.read, of: "Post", at: 2_000) == row.isPast)
        #expect(!known.isPast(row.read, of: "Tag", at: 2_000))
        // A table that was put back from a backup is as it is.
        #expect(!known.isPast(row.read, of: "Post", at: 100_000))
    }

    @Test func `has to have what it made, for as long as reads may be old`() {
        var known = KnownStates()
        known.note(.create("p1"), Self.ok(1), at: 1_000)
        known.note(Self.delete, .ok(version: 5, record: nil), at: 2_000)
        known.note(.create("p2"), Self.ok(1), at: 3_000)
        known.note(.create("t1", model: "Tag"), Self.ok(1), at: 3_000)
        #expect(known.written(of: "Post", since: 0) == [RecordID("p2")])
        #expect(known.written(of: "Post", since: 3_001).isEmpty)
    }

    @Test func `is known of the latest alone, however many there are`() {
        var known = KnownStates()
        for number in 0..<30_000 {
            known.note(
                .record(RecordID("p\(number)"), version: 5, JSONObject()), of: "Post", at: 1_000)
        }
        let first = satchel_backend_graphql.Item.record(RecordID("p0"), version: 4, JSONObject())
        let last = satchel_backend_graphql.Item.record(RecordID("p29999"), version: 4, JSONObject())
        #expect(!known.isPast(first, of: "Post", at: 1_000))
        #expect(known.isPast(last, of: "Post", at: 1_000))
    }
}

@Suite struct `Tokens that no cursor holds` {
    @Test func `are kept by name, the latest of them, within bounds`() {
        var tokens = LongTokens()
        #expect(tokens.name(for: "short") == "short")
        #expect(tokens.token(named: "short") == "short")
        var names: [String] = []
        for number in 0..<20 {
            let token = String(repeating: "\(number % 10)", count: 3_000_000 + number)
            names.append(tokens.name(for: token))
            #expect(names[number].utf8.count < 100)
            #expect(tokens.token(named: names[number]) == token)
        }
        #expect(tokens.size < 9_000_000)
        #expect(tokens.token(named: names[0]) == nil)
        #expect(tokens.token(named: names[18]) != nil)
        let large = tokens.name(for: String(repeating: "x", count: 20_000_000))
        #expect(tokens.token(named: large) != nil)
        #expect(tokens.token(named: names[19]) != nil)
    }
}
