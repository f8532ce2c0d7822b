import JSON
import Records
import Storage

/// One workspace: a store on disk and the one or two processes that use it.
final class SimulatedClient {
    let name: String
    private(set) var processes: [SimulatedProcess] = []
    private let world: World
    private var keys = 0
    private var isBusy = false
    /// Values the user was told are kept, by record (under its first id) and field.
    var acknowledged: [RecordKey: [String: JSONValue]] = [:]
    /// The newest version of each record that this client has shown, or was told is gone.
    var seen: [RecordKey: Int64] = [:]
    /// Deletes that this client was told are done, in this step, by mutation key.
    var toldGone: [String: (record: RecordKey, version: Int64)] = [:]
    /// Records that this client was told have another id, in this step, by mutation key.
    var toldRenamed: [String: RecordKey] = [:]
    /// Records that have another id here by now.
    var renamed: Set<RecordKey> = []
    /// Data sets that the person said are the right ones.
    var consented: Set<String> = []
    /// Which posts are kept here; empty for all.
    private(set) var filter = ""
    /// True once posts were pulled since, by a process that knows of this filter.
    var hasPulledPosts = false
    /// The schema it is on, and all that it ever was on.
    private(set) var variant: SchemaVariant
    private(set) var variants: [SchemaVariant]
    /// Keys of the mutations that were sent, or may have been.
    var sent: Set<String> = []
    /// The keys under which a mutation took effect, by its place in the queue.
    var effects: [Int64: Set<String>] = [:]
    /// Keys that the backend refused by themselves.
    var refusals: Set<String> = []
    /// The places in the queue of mutations that were refused under any key.
    var refused: Set<Int64> = []
    /// How often others passed after a mutation had failed alone, by its place in the queue.
    var passes: [Int64: Int] = [:]
    /// True where a pull of everything kept records of which the backend did not tell.
    var hasDoubts = false
    var steps = 0
    /// Commits when the invariants were last looked at.
    var checkedAt = -1
    /// How far in the feed, and which queue, the invariants last saw.
    var lookedUpTo: Int64 = 0
    var lastQueue: [RecordKey: [Mutation]] = [:]
    /// Whole records that were sent, by record.
    var posted: [RecordKey: [JSONObject]] = [:]

    init(name: String, folder: String, world: World, processes count: Int) throws {
        self.name = name
        self.world = world
        variant = try SchemaVariant.named(.plain)
        variants = [variant]
        let path = "\(folder)/\(name).sqlite"
        try BlankStore.put(at: path)
        for number in 0..<count {
            let process = try SimulatedProcess(
                name: "\(name)\(number == 0 ? "" : "'")", path: path,
                client: self, world: world)
            processes.append(process)
        }
        guard count > 1 else { return }
        for process in processes {
            process.meanwhile = { [unowned self, unowned process] in interleave(process) }
        }
    }

    /// Between two transactions of one process the other gets its turn.
    private func interleave(_ process: SimulatedProcess) {
        guard !isBusy, world.strikes(.interleaved, 4),
            let other = processes.first(where: { $0 !== process }),
            let action = world.intrusion()
        else { return }
        isBusy = true
        process.wasInterleaved = true
        defer { isBusy = false }
        do {
            try world.draw.nested { try world.interleave(other, action) }
        } catch let violation as Violation {
            world.violation = world.violation ?? violation
        } catch {
            world.violation =
                world.violation ?? Violation(invariant: "error", detail: "\(error)")
        }
    }

    func nextID() -> RecordID {
        keys += 1
        return RecordID("\(name)\(keys)")
    }

    // MARK: Selective sync

    /// The filter of posts, as the configuration has it.
    func scope() throws(RecordsError) -> (text: String, filter: Filter)? {
        guard !filter.isEmpty, let post = variant.schema.model("Post") else { return nil }
        return (filter, try Filter.parse(filter, model: post, schema: variant.schema))
    }

    /// True for what this client is to hold.
    func wants(_ key: RecordKey, _ record: JSONObject) throws -> Bool {
        guard key.model == "Post", let model = world.schema.model(key.model),
            let scope = try scope()
        else { return true }
        return scope.filter.matches(record, model: model, schema: world.schema) ?? true
    }

    /// The person keeps more posts or fewer from now on.
    func refilter() {
        filter =
            world.draw.pick(
                .filter, ["", "rating ge 2", "rating ge 4", "rating lt 3"], name: { $0 }) ?? ""
        Trace.note("    filter \(filter)")
        hasPulledPosts = false
        for process in processes { process.isOutdated = true }
    }

    // MARK: Schema changes

    /// Its processes begin anew with another schema.
    func adopt(_ variant: SchemaVariant) {
        self.variant = variant
        variants.append(variant)
        for process in processes { process.isOutdated = true }
    }
}
