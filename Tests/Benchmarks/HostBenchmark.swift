import JSON
import Platform
import Plugins
import Records
import Storage
import Sync

/// What it costs that a backend is a program of its own.
struct HostBenchmark {
    /// The path of `satchel-backend-folder`.
    let program: String
    /// The folder of records it serves.
    let remote: String
    /// Records to pull at most.
    let count: Int

    func run() throws -> JSONObject {
        var figures = JSONObject()
        try ping(&figures)
        try pull(&figures)
        return figures
    }

    private func backend() throws -> PluginBackend {
        var environment = Environment.current().variables
        environment["SATCHEL_PLUGIN"] = nil
        let setting = PluginConnection.Setting(
            name: "folder", program: Program(program, environment: environment), masker: Masker(),
            teardown: try Teardown())
        return PluginBackend(
            setting,
            context: PluginBackend.Context(
                name: "default", client: "benchmark",
                config: JSONObject([("path", .string(remote))]),
                schema: try Schema.parse(QueueBenchmark.sdl)))
    }

    /// One round trip of the smallest request.
    private func ping(_ figures: inout JSONObject) throws {
        let backend = try backend()
        defer { backend.close() }
        for _ in 0..<100 { try backend.ping() }
        let taken = try (0..<3_000).map { _ in try microseconds { try backend.ping() } }
        figures.note("ping_ms", median(taken) / 1e3)
        figures.note("ping_ms_99th", taken.sorted()[taken.count * 99 / 100] / 1e3)
    }

    /// The same pages through the plugin, and once more as they were decoded.
    ///
    /// The difference in this process's time is what the plugin between costs. Each pull is compared
    /// with those of the kept pages right before and after it, for the machine's own pace changes from
    /// one second to the next; the median of the differences counts.
    private func pull(_ figures: inout JSONObject) throws {
        let recorder = RecordingBackend(inner: try backend(), bound: count, isKeeping: true)
        _ = try measured(recorder)
        recorder.inner.close()
        let records = Double(recorder.records)
        var through: [Double] = []
        var again = [try measured(ReplayingBackend(recorder)) / records]
        for _ in 0..<11 {
            let passing = RecordingBackend(inner: try backend(), bound: count, isKeeping: false)
            through.append(try measured(passing) / records)
            passing.inner.close()
            again.append(try measured(ReplayingBackend(recorder)) / records)
        }
        let differences = through.indices
            .map { through[$0] - (again[$0] + again[$0 + 1]) / 2 }.sorted()
        figures.note("pulled_records", records)
        figures.note("host_us_per_record", median(through))
        figures.note("insert_us_per_record", median(again))
        figures.note("overhead_us_per_record", median(differences))
        figures.note("overhead_us_lower", differences[differences.count / 4])
        figures.note("overhead_us_upper", differences[differences.count * 3 / 4])
    }

    /// Processor time of a pull into a new store in memory.
    private func measured(_ backend: any Backend) throws -> Double {
        let store = try Store(inMemory: try Schema.parse(QueueBenchmark.sdl))
        let clock = Clock.system
        let keys = Keys()
        let ports = SyncPorts(
            now: clock.now, random: { 0 },
            makeKey: { keys.next() }, wait: { _ in true }, isInterrupted: { false },
            owner: "benchmark",
            pid: Machine.processID, bootID: "boot", isAlive: { _ in true })
        let engine = SyncEngine(
            store: store, backend: backend, settings: SyncSettings(), ports: ports)
        let begun = processorMicroseconds()
        pulling: while true {
            switch try engine.pullStep(store.schema.models[0], full: false) {
            case .page, .overtaken: continue
            case .complete, .truncated: break pulling
            }
        }
        return processorMicroseconds() - begun
    }
}
