import JSON
import Platform
import Records
import Storage
import Testing

@Suite struct `Opening a store` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ schema: Schema = .blog, hash: String = "1", options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> Store {
        try Store(path: folder.store, schema: schema, schemaHash: hash, options: options)
    }

    private func openingError(_ path: String) -> StoreError? {
        failure { () throws(StoreError) in
            _ = try Store(path: path, schema: .blog, schemaHash: "1")
        }
    }

    @Test func `makes it for its owner only`() throws {
        let store = try open()
        try store.setMeta(.client, "b")
        for suffix in ["", "-wal", "-shm"] {
            #expect(try Files.status(folder.store + suffix).mode & 0o777 == 0o600)
        }
    }

    @Test func `finds what was committed, also after a crash in between`() throws {
        do {
            let store = try open()
            try store.put(.author, "a1", ("name", "Ann"))
            try store.beginBatch()
            try store.put(.author, "a2")
        }
        let store = try open()
        #expect(try store.ids(Query(model: "Author")) == [RecordID("a1")])
    }

    @Test func `refuses what it cannot read`() throws {
        let text = "\(folder.path)/text"
        try Files.replace(
            text, with: Array("this is no database, whatever its name says".utf8), mode: 0o600)
        #expect(openingError(text)?.kind == .damaged)
        #expect(openingError("\(folder.path)/missing/store")?.kind == .notFound)
        #expect(openingError(folder.path)?.kind != nil)
    }

    @Test func `refuses a store of a newer satchel`() throws {
        do {
            let store = try open()
            try store.setMeta(.storeVersion, "9999")
        }
        let error = openingError(folder.store)
        #expect(error?.kind == .newer)
        #expect(error?.message.contains("9999") == true)
        #expect(error?.hint != nil)
    }

    @Test(arguments: [false, true])
    func `acknowledges nothing that would go to a file which is gone`(isReplaced: Bool) throws {
        let store = try open()
        try store.write { () throws(StoreError) in try store.setMeta(.client, "before") }
        for suffix in ["", "-wal", "-shm"] {
            try Files.rename(folder.store + suffix, to: "\(folder.path)/away\(suffix)")
        }
        let successor = isReplaced ? try open() : nil
        let error = failure { () throws(StoreError) in
            try store.write { () throws(StoreError) in try store.setMeta(.client, "after") }
        }
        #expect(error?.kind == .damaged)
        #expect(error?.message.contains("deleted or replaced") == true)
        #expect(error?.hint != nil)
        try store.beginBatch()
        try store.setMeta(.client, "after")
        #expect(failure { () throws(StoreError) in try store.commitBatch() }?.kind == .damaged)
        #expect(failure { () throws(StoreError) in _ = try store.dataVersion() }?.kind == .damaged)
        #expect(try store.meta(.client) == "before")
        #expect(try successor?.meta(.client) == nil)
    }

    @Test func `waits for a lock no longer than it may`() throws {
        let holder = try open()
        let waiter = try open(options: StoreOptions(busyTimeoutMilliseconds: 30))
        try holder.beginBatch()
        let error = failure { () throws(StoreError) in
            try waiter.write { () throws(StoreError) in }
        }
        #expect(error?.kind == .busy)
        #expect(try waiter.record(.author, RecordID("a")) == nil)
        holder.rollbackBatch()
        try waiter.write { () throws(StoreError) in }
    }

    @Test func `stops waiting, or asking, when the user interrupts`() throws {
        let holder = try open()
        try holder.write { () throws(StoreError) in
            for number in 0..<5_000 {
                try holder.putRecord(
                    .author, RecordID("\(number)"), JSONObject(), version: nil)
            }
        }
        let waiter = try open(options: StoreOptions(isInterrupted: { true }))
        try holder.beginBatch()
        let waiting = failure { () throws(StoreError) in
            try waiter.write { () throws(StoreError) in }
        }
        #expect(waiting?.kind == .interrupted)
        holder.rollbackBatch()
        let asking = failure { () throws(StoreError) in
            _ = try waiter.count(
                Query(model: "Author", filter: .test(.init([], "name"), .contains("x"))))
        }
        #expect(asking?.kind == .interrupted)
        #expect(try waiter.recordExists(.author, RecordID("7")))
    }

    @Test func `sees other connections' commits, and one snapshot in a read`() throws {
        let writer = try open()
        let reader = try open()
        let version = try reader.dataVersion()
        try reader.read { () throws(StoreError) in
            #expect(try reader.count(Query(model: "Author")) == 0)
            try writer.putRecord(.author, RecordID("a"), JSONObject(), version: nil)
            #expect(try reader.count(Query(model: "Author")) == 0)
        }
        #expect(try reader.count(Query(model: "Author")) == 1)
        #expect(try reader.dataVersion() != version)
    }

    @Test func `tells that another process changed the schema`() throws {
        let old = try open()
        try old.put(.author, "a1")
        let models = [Model(name: "Author", fields: [Field("id", .scalar(.id))])]
        let new = try open(Schema(models: models), hash: "2")
        #expect(try new.recordExists(models[0], RecordID("a1")))
        let error = failure { () throws(StoreError) in
            try old.putRecord(.author, RecordID("a2"), JSONObject(), version: nil)
        }
        #expect(error?.kind == .newer)
    }

    @Test func `keeps the log short`() throws {
        do {
            let store = try open()
            try store.write { () throws(StoreError) in
                for number in 0..<20_000 {
                    try store.putRecord(
                        .author, RecordID("author number \(number)"), JSONObject(), version: nil)
                }
            }
        }
        #expect(try Files.status("\(folder.store)-wal").size == 0)
    }
}
