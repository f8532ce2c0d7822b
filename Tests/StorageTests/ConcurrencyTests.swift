import JSON
import Platform
import Records
import Storage
import Synchronization
import Testing

@Suite struct `Many at one store` {
    private final class Results: Sendable {
        let failures = Mutex<[StoreError]>([])
        let pages = Mutex<[[Int64]]>([])
    }

    /// Runs `body` on so many threads at once, each with its number.
    private func inParallel(
        _ count: Int, _ body: @escaping @Sendable (Int) throws(StoreError) -> Void
    ) throws -> [StoreError] {
        let results = Results()
        let done = try Mailbox<Int>()
        for number in 0..<count {
            try Worker.start {
                do throws(StoreError) {
                    try body(number)
                } catch {
                    results.failures.withLock { $0.append(error) }
                }
                done.put(number)
            }.detach()
        }
        var finished = 0
        while finished < count {
            guard done.take(within: 120_000) != nil else { break }
            finished += 1
        }
        #expect(finished == count)
        return results.failures.withLock { $0 }
    }

    @Test func `make it, write and read without one refusal`() throws {
        let folder = try TemporaryFolder()
        let path = folder.store
        let failures = try inParallel(12) { (number) throws(StoreError) in
            let store = try Store(
                path: path, schema: .blog, schemaHash: "1",
                options: StoreOptions(busyTimeoutMilliseconds: 60_000))
            for round in 0..<25 {
                try store.write { () throws(StoreError) in
                    let id = RecordID("a\(number)")
                    let seen = try store.record(.author, id)?.record["name"]
                    if round > 0, seen != .string("\(round - 1)") {
                        throw StoreError(.damaged, "round \(round) met \(String(describing: seen))")
                    }
                    try store.putRecord(
                        .author, id,
                        JSONObject([("id", .string(id.text)), ("name", .string("\(round)"))]),
                        version: nil)
                    try store.appendMutation(
                        Mutation(
                            key: "\(number)-\(round)", group: "", model: "Author", id: id,
                            kind: .update))
                    try store.appendChange(
                        Change(model: "Author", id: id, kind: .update, origin: .local, at: 0))
                }
                let places = try store.read { () throws(StoreError) in
                    (try store.changes(after: 0).map(\.seq), try store.mutations().map(\.seq))
                }
                if places.0 != places.1 || places.0 != Array(1...Int64(places.0.count)) {
                    throw StoreError(.damaged, "a half-applied transaction was seen")
                }
            }
        }
        #expect(failures == [])
        let store = try Store(path: path, schema: .blog, schemaHash: "1")
        #expect(try store.mutations().count == 300)
        #expect(try store.count(Query(model: "Author")) == 12)
    }

    @Test func `change the schema at once, and one does it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.store
        do {
            let store = try Store(path: path, schema: .blog, schemaHash: "1")
            try store.put(.author, "a1", ("name", "Ann"), ("born", 1900))
        }
        let author = Model(
            name: "Author",
            fields: [Field("id", .scalar(.id)), Field("born", .scalar(.int))])
        let failures = try inParallel(6) { (_) throws(StoreError) in
            let store = try Store(
                path: path, schema: Schema(models: [author]), schemaHash: "2",
                options: StoreOptions(busyTimeoutMilliseconds: 60_000))
            let found = try store.record(author, RecordID("a1"))?.record
            if found?["born"] != 1900 || found?["name"] != "Ann" {
                throw StoreError(.damaged, "the record is \(String(describing: found))")
            }
        }
        #expect(failures == [])
    }
}
