import JSON
import Records
import Testing

@Suite struct `Coalescing two pending mutations` {
    struct Row: CustomTestStringConvertible {
        var earlier: Mutation.Kind
        var later: Mutation.Kind
        var result: Mutation.Kind?
        var vanishes = false

        var testDescription: String { "\(earlier) then \(later)" }
    }

    static let table = [
        Row(earlier: .create, later: .update, result: .create),
        Row(earlier: .update, later: .update, result: .update),
        Row(earlier: .replace, later: .update, result: .replace),
        Row(earlier: .create, later: .delete, result: nil, vanishes: true),
        Row(earlier: .update, later: .delete, result: .delete),
        Row(earlier: .replace, later: .delete, result: .delete),
        Row(earlier: .delete, later: .create, result: .replace),
        Row(earlier: .delete, later: .replace, result: .replace),
        Row(earlier: .delete, later: .delete, result: nil),
        Row(earlier: .create, later: .create, result: nil),
    ]

    static func mutation(_ kind: Mutation.Kind, _ set: JSONObject = JSONObject()) -> Mutation {
        Mutation(key: "k", group: "g", model: "Post", id: RecordID("1"), kind: kind, set: set)
    }

    @Test(arguments: table) func `follows the table`(_ row: Row) {
        let outcome = Self.mutation(row.earlier).absorbing(
            Self.mutation(row.later), refersToLaterCreate: false)
        switch outcome {
        case .separate: #expect(row.result == nil && !row.vanishes)
        case .vanishes: #expect(row.vanishes)
        case .merged(let mutation): #expect(mutation.kind == row.result)
        }
    }

    @Test func `keeps the earlier place and key, later values and first was`() {
        var first = Self.mutation(.update, JSONObject([("a", 1), ("b", 1)]))
        first.seq = 7
        first.was = JSONObject([("a", 0), ("b", 0)])
        var second = Self.mutation(.update, JSONObject([("b", 2), ("c", 2)]))
        second.seq = 9
        second.key = "other"
        second.group = "other"
        second.was = JSONObject([("b", 5), ("c", 5)])
        guard case .merged(let merged) = first.absorbing(second, refersToLaterCreate: true) else {
            Issue.record("two updates stay apart")
            return
        }
        #expect((merged.seq, merged.key, merged.group) == (7, "k", "g"))
        #expect(merged.set == JSONObject([("a", 1), ("b", 2), ("c", 2)]))
        #expect(merged.was == JSONObject([("a", 0), ("b", 0), ("c", 5)]))
    }

    @Test func `never touches what was sent, and never two records`() {
        let later = Self.mutation(.update)
        var other = later
        other.id = RecordID("2")
        #expect(Self.mutation(.create).absorbing(other, refersToLaterCreate: false) == .separate)
        var sent = Self.mutation(.create)
        sent.isFrozen = true
        #expect(sent.absorbing(later, refersToLaterCreate: false) == .separate)
        sent.isFrozen = false
        sent.attempts = 1
        #expect(sent.absorbing(later, refersToLaterCreate: false) == .separate)
        for state in Mutation.State.allCases where state != .queued && state != .waiting {
            var parked = Self.mutation(.create)
            parked.state = state
            #expect(parked.absorbing(later, refersToLaterCreate: false) == .separate)
            #expect(
                later.absorbing(parked, refersToLaterCreate: false) == .separate)
        }
    }

    @Test func `leaves a create alone when the update refers to a later create`() {
        let update = Self.mutation(.update)
        #expect(Self.mutation(.create).absorbing(update, refersToLaterCreate: true) == .separate)
    }

    @Test func `waits when either waited`() {
        var later = Self.mutation(.update)
        later.state = .waiting
        guard
            case .merged(let merged) = Self.mutation(.create).absorbing(
                later, refersToLaterCreate: false)
        else {
            Issue.record("not merged")
            return
        }
        #expect(merged.state == .waiting)
    }

    @Test(arguments: 0..<500) func `equals applying both in turn`(seed: Int) {
        var random = SeededRandom(seed)
        let isThere = random.flip()
        let base = Base(record: isThere ? random.record() : nil)
        let kinds: [Mutation.Kind] = isThere ? [.update, .delete, .replace] : [.create]
        let first = Self.mutation(random.pick(kinds), random.record())
        let remains = first.applied(to: base.record) != nil
        let second = Self.mutation(
            random.pick(remains ? [.update, .delete] : [.create]), random.record())
        let both = fold(base, [first, second])
        switch first.absorbing(second, refersToLaterCreate: false) {
        case .separate: Issue.record("\(first.kind) then \(second.kind) stay apart")
        case .vanishes: #expect(fold(base, []) == both)
        case .merged(let merged): #expect(fold(base, [merged]) == both)
        }
    }
}
