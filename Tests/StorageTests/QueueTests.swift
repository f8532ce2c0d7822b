import JSON
import Records
import Storage
import Testing

@Suite struct `The queue` {
    let store: Store

    init() throws { store = try Store(inMemory: .blog) }

    @Test func `gives back a mutation as it was appended`() throws {
        var mutation = Mutation(
            key: "k", group: "g", model: "Post", id: RecordID("p\u{0}1"), kind: .update,
            set: JSONObject([("title", "new"), ("rating", nil)]),
            was: JSONObject([("title", "old")]), baseVersion: ["v": 1], state: .waiting,
            attempts: 3, isFrozen: true, notBefore: 77,
            failure: .init(kind: "rule", message: "no", field: "title"), createdAt: 5)
        mutation.seq = try store.appendMutation(mutation)
        #expect(try store.mutation(mutation.seq) == mutation)
        mutation.state = .rejected
        mutation.failure = nil
        mutation.was = JSONObject()
        try store.updateMutation(mutation)
        #expect(try store.mutations(of: mutation.record) == [mutation])
        #expect(try store.lastMutation(of: mutation.record) == mutation)
        #expect(try !store.hasLiveMutations(mutation.record))
        mutation.seq = 99
        #expect(
            failure { () throws(StoreError) in try store.updateMutation(mutation) }?.kind == .misuse
        )
    }

    @Test func `never gives a place twice`() throws {
        let first = try store.queue("p1")
        let second = try store.queue("p2")
        try store.removeMutation(second)
        let third = try store.queue("p3")
        try store.removeMutation(third)
        try store.removeMutation(first)
        let places = try store.write { () throws(StoreError) in
            [
                try store.appendMutation(
                    Mutation(key: "a", group: "", model: "Post", id: RecordID("a"), kind: .delete)),
                try store.appendMutation(
                    Mutation(key: "b", group: "", model: "Post", id: RecordID("b"), kind: .delete)),
            ]
        }
        #expect([first, second, third] + places == [1, 2, 3, 4, 5])
    }

    @Test func `has ready the first live mutation of each record`() throws {
        let rejected = try store.queue("p1", state: .rejected)
        let a = try store.queue("p1")
        try store.queue("p1")
        try store.queue("p2", state: .conflict)
        try store.queue("p2")
        let c = try store.queue("p3", state: .unknown, notBefore: 50)
        let d = try store.queue("p4", notBefore: 100)
        try store.queue("p5", notBefore: 101)
        try store.queue("p6", state: .waiting)
        try store.queue("p7", state: .sending)
        let e = try store.queue("p8", group: "other")
        func ready(
            _ now: Int64, _ limit: Int = 99, _ ignoring: Bool = false, _ group: String? = nil
        )
            throws -> [Int64]
        {
            try store.readyMutations(
                now: now, limit: limit, ignoringDelay: ignoring, group: group
            ).map(\.seq)
        }
        #expect(try ready(100) == [a, c, d, e])
        #expect(try ready(100, 2) == [a, c])
        #expect(try ready(60) == [a, c, e])
        #expect(try ready(0) == [a, e])
        #expect(try ready(0, 99, true).count == 5)
        #expect(try ready(100, 99, false, "other") == [e])
        #expect(rejected < a)
        #expect(try store.nextDueAt() == 0)
    }

    @Test func `says nothing is due that waits behind another change of its record`() throws {
        try store.queue("p1", state: .conflict)
        try store.queue("p1")
        try store.queue("p2", state: .sending)
        try store.queue("p2", notBefore: 7)
        #expect(try store.nextDueAt() == nil)
        try store.queue("p3", state: .unknown, notBefore: 60)
        try store.queue("p3")
        #expect(try store.nextDueAt() == 60)
        try store.queue("p4", notBefore: 50)
        #expect(try store.nextDueAt() == 50)
        try store.queue("p5", state: .rejected)
        try store.queue("p5")
        #expect(try store.nextDueAt() == 0)
    }

    @Test func `counts by state, and says what is due next`() throws {
        #expect(try store.mutationCounts().isEmpty)
        #expect(try store.nextDueAt() == nil && store.oldestQueuedAt() == nil)
        try store.queue("p1", state: .rejected, at: 1)
        try store.queue("p2", state: .unknown, notBefore: 70, at: 9)
        try store.queue("p3", notBefore: 60, at: 8)
        #expect(try store.nextDueAt() == 60)
        #expect(try store.oldestQueuedAt() == 8)
        try store.queue("p4", at: 7)
        try store.queue("p5", state: .sending, at: 12)
        try store.queue("p6", state: .waiting, at: 13)
        #expect(
            try store.mutationCounts()
                == [.rejected: 1, .unknown: 1, .queued: 2, .sending: 1, .waiting: 1])
        #expect(try store.oldestQueuedAt() == 7)
        #expect(try store.markAllSendingUnknown() == 1)
        #expect(try store.mutationCounts()[.unknown] == 2)
    }

    @Test func `lists by state, group and place`() throws {
        for (index, state) in Mutation.State.allCases.enumerated() {
            try store.queue("p\(index)", state: state, group: index < 3 ? "a" : "b")
        }
        #expect(try store.mutations().map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(try store.mutations(after: 4, limit: 1).map(\.seq) == [5])
        #expect(try store.mutations(states: [.queued, .rejected]).map(\.seq) == [1, 6])
        #expect(try store.mutations(states: [.conflict, .rejected]).map(\.seq) == [5, 6])
        #expect(try store.mutations(states: [.conflict, .sending], group: "a").map(\.seq) == [2])
        #expect(try store.mutations(group: "b", after: 4).map(\.seq) == [5, 6])
        #expect(try store.mutations(states: []).isEmpty)
    }

    @Test func `holds what waits until all of it is delivered`() throws {
        let first = try store.queue("p1")
        let second = try store.queue("p2")
        let waiting = try store.queue("p3", state: .waiting)
        let parked = try store.queue("p4", state: .conflict)
        for seq in [first, second] { try store.addDependency(seq: waiting, on: seq) }
        try store.addDependency(seq: waiting, on: first)
        try store.addDependency(seq: parked, on: first)
        #expect(try store.dependencies(of: waiting) == [first, second])
        #expect(try store.dependents(on: first) == [waiting, parked])
        try store.releaseDependents(of: first)
        #expect(try store.mutation(waiting)?.state == .waiting)
        #expect(try store.mutation(parked)?.state == .conflict)
        try store.releaseDependents(of: second)
        #expect(try store.mutation(waiting)?.state == .queued)
        try store.addDependency(seq: waiting, on: parked)
        try store.removeMutation(waiting)
        #expect(try store.dependents(on: parked).isEmpty)
    }

    @Test func `shows a record's state by what a person must look at first`() throws {
        let key = RecordKey("Post", RecordID("p1"))
        #expect(try store.state(of: key) == "synced")
        try store.queue("p1")
        #expect(try store.state(of: key) == "pending")
        try store.queue("p1", state: .rejected)
        #expect(try store.state(of: key) == "rejected")
        try store.queue("p1", state: .conflict)
        #expect(try store.state(of: key) == "conflict")
    }

    @Test func `keeps what the backend said of a record`() throws {
        let key = RecordKey("Post", RecordID("p1"))
        #expect(try store.base(key) == nil)
        var base = Base(version: 1, record: JSONObject([("id", "p1")]))
        try store.setBase(key, base)
        #expect(try store.base(key) == base)
        base = Base(deletedRecord: base.record)
        try store.setBase(key, base)
        #expect(try store.base(key) == base)
        try store.removeBase(key)
        #expect(try store.base(key) == nil)
    }

    @Test func `finds pending records that refer to a new one`() throws {
        try store.put(.comment, "c1", ("postID", "p1"))
        try store.put(.comment, "c2", ("postID", "p1"))
        try store.put(.comment, "c3", ("postID", "p2"))
        for id in ["c2", "c3"] {
            try store.appendMutation(
                Mutation(
                    key: id, group: "g", model: "Comment", id: RecordID(id), kind: .create))
        }
        let relation = Model.comment.relations[0]
        let post = JSONObject([("id", "p1")])
        #expect(
            try store.pendingRecords(of: .comment, referringTo: post, by: relation)
                == [RecordID("c2")])
    }
}
