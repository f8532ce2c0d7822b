import Records
import Storage
import Sync
import Testing

@Suite struct `The change feed` {
    @Test func `is kept short by a sync, but for its newest lines`() throws {
        let office = try Office()
        let year: Int64 = 31_536_000_000
        try office.store.write { () throws(StoreError) in
            for index in 1...10_100 {
                _ = try office.store.appendChange(
                    Change(
                        seq: 0, model: "Post", id: RecordID("p\(index)"), kind: .update,
                        origin: .remote, group: nil, at: office.clock.now - year, fields: []))
            }
        }
        #expect(office.sync().failure == nil)
        let (first, last) = (try office.store.firstChangeSeq(), try office.store.lastChangeSeq())
        #expect(first == last - 10_000 + 1)
    }
}
