import JSON
import Outbox
import Platform
import Records
import Storage
import Sync

/// What one more mutation, the next batch and a rebase cost in a short and in a long queue.
///
/// Both queues are files in one folder, and are measured in turn so that what else the machine
/// does falls on both.
struct QueueBenchmark {
    let folder: String
    /// Mutations in the long queue; the short one has ten.
    let count: Int

    static let sdl = """
        type Post @model { id: ID! title: String! rating: Int status: String views: Int
            created: AWSDateTime }
        """
    private let shortCount = 10
    private let editsOfOne = 100

    func run() throws -> JSONObject {
        let short = try Queue(path: folder + "/short.sqlite")
        let long = try Queue(path: folder + "/long.sqlite")
        try short.fill(shortCount)
        try long.fill(count)
        var figures = JSONObject()
        try enqueue(short, long, &figures)
        try choose(short, long, &figures)
        try rebase(short, long, &figures)
        return figures
    }

    /// One more create, and one more update of a clean record; the wait for the disk is not counted.
    private func enqueue(_ short: Queue, _ long: Queue, _ figures: inout JSONObject) throws {
        let rounds = 150
        let writes = 50
        for (name, write) in [("create", Queue.creates), ("update", Queue.updates)] {
            var taken: [[Double]] = [[], []]
            for _ in 0..<rounds {
                for (place, queue) in [short, long].enumerated() {
                    taken[place].append(try write(queue)(writes) / Double(writes))
                }
            }
            let (few, many) = (median(taken[0]), median(taken[1]))
            figures.note("\(name)_us_short", few)
            figures.note("\(name)_us_long", many)
            figures.note("\(name)_ratio", many / few)
        }
    }

    /// The next 50 to send, as read, and as marked and on the disk before a byte leaves.
    private func choose(_ short: Queue, _ long: Queue, _ figures: inout JSONObject) throws {
        figures.note(
            "choose_ms_short", median(try (0..<50).map { _ in try short.choose(50) }) / 1e3)
        figures.note("choose_ms_long", median(try (0..<50).map { _ in try long.choose(50) }) / 1e3)
        let sent = try (0..<20).map { _ in try long.timeToSend() }
        figures.note("choose_and_mark_ms_long", median(sent) / 1e3)
    }

    /// A record with many live mutations meets a newer state.
    private func rebase(_ short: Queue, _ long: Queue, _ figures: inout JSONObject) throws {
        for (name, queue) in [("short", short), ("long", long)] {
            let (taken, others) = try queue.rebase(edits: editsOfOne)
            figures.note("rebase_ms_\(name)", taken / 1e3)
            figures.note("rebase_other_records_\(name)", Double(others))
        }
    }
}
