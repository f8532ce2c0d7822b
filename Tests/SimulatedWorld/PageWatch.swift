import JSON
import Records
import Storage
import Sync

/// Sees to it that no page goes in after another process moved the cursor it was asked for with.
///
/// What comes of such a page shows only now and then, and late; this tells at once. It looks through
/// the other process's connection, which sees what is committed and nothing else.
struct PageWatch {
    private let model: String
    /// Where the model stood when the page was asked for.
    private let asked: Cursor
    /// True while the next transaction is the one that takes the page in.
    private(set) var isHere = false
    private var before: (cursor: Cursor?, version: Int64)?
    /// True while some of the page's records have to be asked for again before it can go in.
    private var isPutOff = false
    private var records: Set<RecordID> = []

    init?(_ model: String, _ store: Store) throws(StoreError) {
        guard let cursor = try store.cursor(model) else { return nil }
        self.model = model
        asked = cursor
    }

    /// The page has arrived; one of another history is not even tried.
    mutating func arrive(_ page: PullPage) {
        records = Set(page.records.map(\.id))
        guard let known = asked.epoch, let found = page.epoch else { return isHere = true }
        isHere = known == found
    }

    /// What was older than the store has been asked for again.
    mutating func arriveAgain(_ model: String, _ ids: [RecordID]) {
        isHere = isPutOff && model == self.model && records.isSuperset(of: ids)
    }

    /// A transaction begins.
    mutating func begin(_ other: Store) throws(StoreError) {
        before = isHere ? (try other.cursor(model), try other.dataVersion()) : nil
    }

    /// It was committed; tells what is wrong with it.
    mutating func end(_ other: Store) throws(StoreError) -> String? {
        guard let before else { return nil }
        (isHere, self.before) = (false, nil)
        let hasWritten = try other.dataVersion() != before.version
        isPutOff = !hasWritten && before.cursor == asked
        guard hasWritten, before.cursor != asked else { return nil }
        return "a page of \(model) went in that was asked for at \(text(asked)), "
            + "after the cursor had moved to \(text(before.cursor))"
    }

    private func text(_ cursor: Cursor?) -> String {
        guard let cursor else { return "nothing" }
        let place = cursor.token?.serialized() ?? "the start"
        return place + (cursor.isFull ? " of everything" : cursor.complete ? " (complete)" : "")
    }
}
