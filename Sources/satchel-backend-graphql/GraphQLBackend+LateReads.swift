internal import JSON
internal import Platform
internal import PluginKit
internal import Records

// Reads of the API that are older than what this process heard.
extension GraphQLBackend {
    /// Records that one request asks for, and how many are asked for at most.
    private static let together = 25
    private static let most = 100
    /// How often, and milliseconds in between.
    private static let tries = 3
    private static let pause: Int64 = 200

    private var isWatchful: Bool { (connection?.settings.overlap ?? 0) > 0 }

    /// Takes note of what came of writes.
    func noteWrites(_ operations: [PluginOperation], _ verdicts: [PluginVerdict?]) {
        guard isWatchful else { return }
        let now = Clock.system.monotonic()
        for case (let operation, let verdict?) in zip(operations, verdicts) {
            known.note(operation, verdict, at: now)
        }
    }

    /// True for a record, asked for by its id, that is older than what is known of it.
    ///
    /// What is not is known from now on.
    func isPast(_ item: Item, of model: String) -> Bool {
        let now = Clock.system.monotonic()
        let isPast = known.isPast(item, of: model, at: now)
        if !isPast, isWatchful { known.note(item, of: model, at: now) }
        return isPast
    }

    /// Begins a pull of everything: what was written a moment ago has to come.
    func expectWritten(_ model: String) {
        let overlap = connection?.settings.overlap ?? 0
        let written = known.written(of: model, since: Clock.system.monotonic() - overlap)
        expected[model] = written.isEmpty ? nil : written
    }

    /// True for an item of a page that is older than what is known of its record.
    func hasPassed(_ item: Item, of model: String, isDelta: Bool) -> Bool {
        if isDelta { return isPast(item, of: model) }
        let isPast = known.isPast(item, of: model, at: Clock.system.monotonic())
        switch item {
        case .record(let id, _, _), .deleted(let id, _):
            if isPast {
                expected[model, default: []].insert(id)
            } else if expected[model] != nil {
                expected[model]?.remove(id)
            }
        case .bad: break
        }
        return isPast
    }

    /// Asks for the records that a pull of everything should have met and did not.
    ///
    /// - Returns: False where that does not tell what they are now.
    func hasMetAll(
        _ plan: ModelPlan, onto page: PluginPage, _ limit: Int, _ call: PluginCall
    ) throws(PluginError) -> Bool {
        let model = plan.model.name
        var open = (expected.removeValue(forKey: model) ?? []).sorted { $0.text < $1.text }
        if open.isEmpty { return true }
        guard open.count <= Self.most, page.count + open.count <= limit else { return false }
        let connection = try reach()
        var past: Set<RecordID> = []
        for attempt in 1...Self.tries {
            var missing: [RecordID] = []
            past = []
            for start in stride(from: 0, to: open.count, by: Self.together) {
                let part = Array(open[start..<min(start + Self.together, open.count)])
                let keys = part.compactMap(plan.model.keyValues)
                guard keys.count == part.count, let request = plan.fetch(keys) else { return false }
                let answer = try connection.client.ask(request, beat(call))
                guard answer.errors.isEmpty else { return false }
                for (index, id) in part.enumerated() {
                    guard let result = answer.value(at: ["r\(index)"]) else {
                        missing.append(id)
                        continue
                    }
                    let item = plan.item(result)
                    if known.isPast(item, of: model, at: Clock.system.monotonic()) {
                        missing.append(id)
                        past.insert(id)
                    } else {
                        page.append(item, raw: result, place: id.text)
                    }
                }
            }
            open = missing
            if open.isEmpty { return true }
            if attempt < Self.tries { try connection.client.pause(Self.pause, beat(call)) }
        }
        // What is not there after all this is gone; what is older than it was is not known.
        return past.isEmpty
    }
}
