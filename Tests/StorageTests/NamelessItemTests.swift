import Records
import Testing

@testable import Storage

@Suite struct `Quarantined items without an id` {
    private static func raw(_ number: Int) -> String {
        #"{"identifier":"p\#(number)","title":"one of many"}"#
    }

    private func add(_ raw: String, to store: Store, model: String = "Post") throws(StoreError) {
        try store.addQuarantine(
            model: model, id: nil, raw: raw, reason: "the record lacks its key", receivedAt: 1)
    }

    private func raws(_ store: Store, _ model: String = "Post") throws -> [[UInt8]] {
        try store.quarantine().filter { $0.model == model }.map { Array($0.raw.utf8) }
    }

    @Test func `are one for the same bytes of the same model`() throws {
        let store = try Store(inMemory: .blog)
        let texts = ["", "\u{0}", "\u{0}\u{0}", "a", "b", "ab", "ba", "\u{e9}", "e\u{301}"]
        // A record with an id is no item of those.
        try store.addQuarantine(
            model: "Post", id: RecordID("p1"), raw: "a", reason: "odd", receivedAt: 1)
        for _ in 1...2 {
            for text in texts {
                for model in ["Post", "Author"] { try add(text, to: store, model: model) }
            }
        }
        #expect(try raws(store) == (["a"] + texts).map { Array($0.utf8) })
        #expect(try raws(store, "Author") == texts.map { Array($0.utf8) })
    }

    @Test func `cost no more to add where there are many`() throws {
        func stepsToAdd(to count: Int) throws -> Int {
            let store = try Store(inMemory: .blog)
            try store.write { () throws(StoreError) in
                for number in 0..<count { try add(Self.raw(number), to: store) }
            }
            return try store.steps { () throws(StoreError) in
                try add(Self.raw(count), to: store)
            }
        }
        let few = try stepsToAdd(to: 10)
        #expect(try stepsToAdd(to: 2_000) == few)
    }

    @Test func `of a store of before are found by their bytes too`() throws {
        let folder = try TemporaryFolder()
        func open() throws(StoreError) -> Store {
            try Store(path: folder.store, schema: .blog, schemaHash: "1")
        }
        do {
            let store = try open()
            try store.connection.execute(
                """
                DROP INDEX _quarantine_digest;
                ALTER TABLE quarantine DROP COLUMN digest;
                DELETE FROM meta WHERE key = 'quarantine_key';
                UPDATE meta SET value = '5' WHERE key = 'store_version';
                INSERT INTO quarantine (model, id, raw, reason, received_at, heard)
                VALUES ('Post', NULL, 'a', 'odd', 1, 0), ('Post', 'p1', 'b', 'odd', 1, 0),
                    ('Author', NULL, 'a', 'odd', 1, 0), ('Post', NULL, 'c', 'odd', 1, 0);
                """)
        }
        let store = try open()
        let key = try store.meta(.quarantineKey)
        for text in ["b", "a"] { try add(text, to: store) }
        #expect(try store.quarantine().map(\.raw) == ["b", "a", "c", "b", "a"])
        #expect(try open().meta(.quarantineKey) == key)
    }
}
