import JSON
import Platform
import Records
import Storage
import Testing

private struct Refusal: Error, Equatable {}

@Suite struct `Transactions` {
    let store: Store

    init() throws { store = try Store(inMemory: .blog) }

    private func ids() throws -> [String] {
        try store.ids(Query(model: "Author")).map(\.text)
    }

    private func put(_ id: String) throws(StoreError) {
        try store.putRecord(
            .author, RecordID(id), JSONObject([("id", .string(id))]), version: nil)
    }

    @Test func `keep all or nothing`() throws {
        try store.write { () throws(StoreError) in try put("a") }
        let error = failure { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                try put("b")
                throw StoreError(.notFound, "stop")
            }
        }
        #expect(error?.message == "stop")
        #expect(try ids() == ["a"])
    }

    @Test func `take back an inner failure alone`() throws {
        try store.write { () throws(StoreError) in
            try put("a")
            let error = failure { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    try put("b")
                    throw StoreError(.notFound, "stop")
                }
            }
            #expect(error?.kind == .notFound)
            try store.write { () throws(StoreError) in try put("c") }
        }
        #expect(try ids() == ["a", "c"])
    }

    @Test func `pass on an error of the body's own`() throws {
        #expect(throws: Refusal()) {
            try store.write({ () throws(Refusal) in throw Refusal() }, mapping: { _ in Refusal() })
        }
        #expect(throws: Refusal()) {
            try store.read({ () throws(Refusal) in throw Refusal() }, mapping: { _ in Refusal() })
        }
        try store.write { () throws(StoreError) in try put("a") }
        #expect(try ids() == ["a"])
    }

    @Test func `gather in a batch`() throws {
        try store.beginBatch()
        #expect(store.isInBatch)
        try store.write { () throws(StoreError) in try put("a") }
        _ = failure { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                try put("b")
                throw StoreError(.notFound, "stop")
            }
        }
        try store.commitBatch()
        #expect(!store.isInBatch)
        try store.beginBatch()
        try put("c")
        store.rollbackBatch()
        #expect(try ids() == ["a"])
        #expect(failure { () throws(StoreError) in try store.commitBatch() }?.kind == .misuse)
    }

    @Test func `without guards are lost whole, unless nothing was changed yet`() throws {
        try store.beginBatch()
        try store.write { () throws(StoreError) in try put("a") }
        let harmless = failure { () throws(StoreError) in
            try store.write(guarded: false) { () throws(StoreError) in
                throw StoreError(.notFound, "stop")
            }
        }
        #expect(harmless?.message == "stop")
        try store.write(guarded: false) { () throws(StoreError) in
            _ = failure { () throws(StoreError) in
                try store.write { () throws(StoreError) in
                    try put("b")
                    throw StoreError(.notFound, "stop")
                }
            }
            try put("c")
        }
        try store.commitBatch()
        #expect(try ids() == ["a", "c"])

        try store.beginBatch()
        try store.write { () throws(StoreError) in try put("d") }
        _ = failure { () throws(StoreError) in
            try store.write(guarded: false) { () throws(StoreError) in
                try put("e")
                throw StoreError(.notFound, "stop")
            }
        }
        #expect(failure { () throws(StoreError) in try store.write { () in } } != nil)
        #expect(failure { () throws(StoreError) in try store.commitBatch() } != nil)
        #expect(!store.isInBatch)
        #expect(try ids() == ["a", "c"])
    }

    @Test func `do not write inside a read`() throws {
        let error = failure { () throws(StoreError) in
            try store.read { () throws(StoreError) in
                try store.write { () throws(StoreError) in try put("a") }
            }
        }
        #expect(error?.kind == .misuse)
        try store.write { () throws(StoreError) in try put("b") }
        #expect(try ids() == ["b"])
    }
}

@Suite struct `Faults` {
    /// Fails at the chosen one of the points it is asked about.
    private final class Plan {
        var points: [StorePoint] = []
        var failing: (point: StorePoint, number: Int, error: StoreError)?

        func meet(_ point: StorePoint) throws(StoreError) {
            points.append(point)
            guard let failing, failing.point == point,
                points.count(where: { $0 == point }) == failing.number
            else { return }
            throw failing.error
        }
    }

    @Test(
        arguments: [
            (StorePoint.begin, false), (.statement, false), (.commit, false), (.committed, true),
        ])
    func `strike before, during or after a commit`(_ point: StorePoint, _ isKept: Bool) throws {
        let folder = try TemporaryFolder()
        let plan = Plan()
        let options = StoreOptions(faults: { (point) throws(StoreError) in try plan.meet(point) })
        let store = try Store(
            path: folder.store, schema: .blog, schemaHash: "1", options: options)
        plan.points = []
        plan.failing = (point, 1, StoreError(.full, "struck"))
        let error = failure { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                _ = try store.appendMutation(
                    Mutation(key: "k", group: "g", model: "Post", id: RecordID("p"), kind: .delete))
            }
        }
        #expect(error?.message == "struck")
        plan.failing = nil
        let other = try Store(path: folder.store, schema: .blog, schemaHash: "1")
        #expect(try other.mutations().count == (isKept ? 1 : 0))
        try store.write { () throws(StoreError) in try store.setMeta(.client, "works") }
        #expect(try other.meta(.client) == "works")
    }

    @Test func `strike the nth statement`() throws {
        let plan = Plan()
        let options = StoreOptions(faults: { (point) throws(StoreError) in try plan.meet(point) })
        let store = try Store(inMemory: .blog, options: options)
        plan.points = []
        plan.failing = (.statement, 3, StoreError(.busy, "struck"))
        _ = try store.meta(.client)
        _ = try store.meta(.network)
        #expect(failure { () throws(StoreError) in _ = try store.meta(.paused) }?.kind == .busy)
        #expect(try store.meta(.lastError) == nil)
    }
}
