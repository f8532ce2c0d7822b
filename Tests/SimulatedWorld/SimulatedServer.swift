import JSON
import Outbox
import Records
import Sync

/// The remote of a simulation: records, versions, a log, and a memory of keys.
final class SimulatedServer {
    struct Entry {
        var version: Int64
        var record: JSONObject?
        /// What other programs wrote there is no record of the schema.
        var isBroken = false
    }

    struct LogLine {
        var seq: Int64
        var key: RecordKey
        var fields: [String]
    }

    let setting: Setting
    let schema: Schema
    var epoch: Int64 = 1
    var dataSets = 1
    var identity: String { "set\(dataSets)" }
    /// Values it cannot bear make a whole request fail.
    var isFrail = true
    var entries: [RecordKey: Entry] = [:]
    /// Every change that is still remembered, oldest first.
    var log: [LogLine] = []
    /// Cursors before this are refused: the log does not reach so far back.
    var forgotten: Int64 = 0
    var verdicts: [String: PushOutcome] = [:]
    /// How often each mutation key took effect.
    var effects: [String: Int] = [:]
    /// A mutation key that took effect twice.
    var doubled: String?
    var writers: [String: RecordKey] = [:]
    /// Every state that was ever true here, by record: what a base may hold.
    var history: [RecordKey: [JSONObject]] = [:]
    /// Every value that was ever accepted, by record and field.
    var accepted: [RecordKey: [String: [JSONValue]]] = [:]
    /// The states of each record in this history, oldest first.
    var states: [RecordKey: [(seq: Int64, record: JSONObject?)]] = [:]
    /// Records that were ever unreadable.
    var everBroken: Set<RecordKey> = []
    var everDeleted: Set<RecordKey> = []
    /// Pushes that are still on their way.
    var late: [PushOperation] = []
    /// The ids that it chose, by those that clients had chosen, and the other way round.
    var chosen: [RecordKey: RecordKey] = [:]
    var originals: [RecordKey: RecordKey] = [:]
    var names: [RecordKey: [RecordKey]] = [:]
    /// The record of every change, oldest first: what events tell of.
    var stream: [RecordKey] = []
    var seq: Int64 = 0

    /// It takes no changes and gives everything else: from when, until when.
    private var refusal: Range<Int64>?

    let knowsKeys: Bool
    let hasDelta: Bool
    let rule: String
    /// A cursor of before is not refused: the page tells that the history is another one.
    let takesOldCursors: Bool
    let pageLimit: Int

    init(_ setting: Setting, schema: Schema) {
        self.setting = setting
        knowsKeys = setting.idempotency == .key
        hasDelta = setting["delta"] == "yes"
        rule = setting["rule"]
        takesOldCursors = setting["oldCursors"] == "taken"
        pageLimit = setting.capabilities.page
        self.schema = schema
    }

    // MARK: What befalls it

    /// Its history begins anew: cursors of before mean nothing.
    func beginEpoch() { epoch += 1 }

    /// It takes no changes for a while.
    func refuseWrites(at now: Int64, for time: Int64) { refusal = now..<now + time }

    /// A clock that has jumped ends it.
    func refusesWrites(at now: Int64) -> Bool { refusal?.contains(now) ?? false }

    /// Old changes and tombstones are forgotten.
    func forget() {
        forgotten = seq
        log.removeAll()
        // Without keys and tombstones nobody can tell a lost create from one that was deleted.
        for (key, entry) in entries where entry.record == nil { forgive(key) }
        entries = entries.filter { $0.value.record != nil }
    }

    /// Deletions are forgotten, and with them every cursor that has not met them.
    func forgetTombstones() {
        let gone = entries.filter { $0.value.record == nil }
        guard let last = gone.values.map(\.version).max() else { return }
        for key in gone.keys {
            forgive(key)
            entries[key] = nil
        }
        log.removeAll { gone[$0.key] != nil }
        forgotten = max(forgotten, last)
    }

    /// Another data set answers from now on.
    func changeDataSet() {
        dataSets += 1
        beginEpoch()
    }

    /// A record is as it was before, or not there at all.
    func revert(_ key: RecordKey, to choice: UInt64?) {
        let earlier = (states[key] ?? []).filter { $0.record != nil }
        guard let choice, !earlier.isEmpty else {
            everDeleted.insert(key)
            entries[key] = nil
            states[key] = nil
            return
        }
        let state = earlier[Int(choice % UInt64(earlier.count))]
        entries[key] = Entry(version: state.seq, record: state.record)
        states[key]?.removeAll { $0.seq > state.seq }
    }

    /// It knows of no mutation any more.
    func forgetKeys() {
        verdicts = [:]
        effects = [:]
        late = []
        log = []
        forgotten = seq
    }

    /// Another program adds a field that no schema knows.
    func extendRecord(_ key: RecordKey) {
        guard var entry = entries[key], var record = entry.record else { return }
        seq += 1
        record["colour"] = .string("c\(seq)")
        entry.version = seq
        entry.record = record
        entries[key] = entry
        history[key, default: []].append(record)
        note(key, ["colour"])
    }

    /// Where a create that arrived and was deleted cannot be told from a lost one, it may go again.
    func forgive(_ key: RecordKey) {
        guard !knowsKeys else { return }
        for writer in writers.filter({ $0.value == key }).keys { effects[writer] = 0 }
    }

    /// Another program writes what the schema does not know how to read.
    func breakRecord(_ key: RecordKey) {
        guard var entry = entries[key], entry.record != nil else { return }
        seq += 1
        entry.version = seq
        entry.isBroken = true
        entries[key] = entry
        everBroken.insert(key)
        note(key, [])
    }

    /// It bears everything from now on.
    func heal() {
        isFrail = false
        refusal = nil
        late = []
        mend()
    }

    func mend() {
        for key in entries.keys.sorted(by: { $0.id.text < $1.id.text })
        where entries[key]?.isBroken ?? false {
            guard let record = entries[key]?.record else { continue }
            seq += 1
            entries[key] = Entry(version: seq, record: record)
            note(key, [])
        }
    }

    func note(_ key: RecordKey, _ fields: [String]) {
        log.append(LogLine(seq: seq, key: key, fields: fields))
        stream.append(key)
        states[key, default: []].append((seq, entries[key]?.record))
    }
}
