import JSON
import Records
import Testing

@testable import Storage

@Suite struct `When the next change is due` {
    let folder: TemporaryFolder
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Store(path: folder.store, schema: .blog, schemaHash: "1")
        try store.write { () throws(StoreError) in
            for number in 0..<1_000 {
                for state in [Mutation.State.conflict, .queued] { try queue("p\(number)", state) }
            }
        }
    }

    private func queue(
        _ id: String, _ state: Mutation.State = .queued, notBefore: Int64 = 0,
        in other: Store? = nil
    ) throws(StoreError) {
        _ = try (other ?? store).appendMutation(
            Mutation(
                key: "key-\(id)", group: "g", model: "Post", id: RecordID(id), kind: .update,
                set: JSONObject([("title", "a")]), state: state, notBefore: notBefore, createdAt: 1)
        )
    }

    @Test func `takes no second look where nobody wrote`() throws {
        func steps() throws -> Int {
            try store.steps { () throws(StoreError) in #expect(try store.nextDueAt() == nil) }
        }
        #expect(try steps() > 1_000)
        #expect(try steps() < 100)
    }

    @Test func `follows what this and other processes write, and take back`() throws {
        #expect(try store.nextDueAt() == nil)
        let refused = failure { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                try queue("q")
                #expect(try store.nextDueAt() == 0)
                throw StoreError(.misuse, "no")
            }
        }
        #expect(refused?.kind == .misuse)
        #expect(try store.nextDueAt() == nil)
        try queue("q", notBefore: 70)
        #expect(try store.nextDueAt() == 70)
        let other = try Store(path: folder.store, schema: .blog, schemaHash: "1")
        try queue("r", notBefore: 50, in: other)
        #expect(try store.nextDueAt() == 50)
        #expect(try other.nextDueAt() == 50)
        try store.forgetDelays()
        #expect(try store.nextDueAt() == 0)
        #expect(try other.nextDueAt() == 0)
    }
}
