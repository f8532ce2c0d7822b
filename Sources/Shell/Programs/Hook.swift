internal import JSON
internal import Platform
internal import Plugins
internal import Records

/// A write that the workspace's hook is asked about before it is queued.
struct HookEvent {
    var model: Model
    var id: RecordID
    /// The record as it will be; of a delete, as it is.
    var record: JSONObject
    /// What an update changes.
    var set: JSONObject?
    /// The record that is there; nil for a create.
    var old: JSONObject?
    /// The record whose delete takes this one along.
    var because: RecordKey?
}

/// What the hook says to one write.
enum HookVerdict {
    /// It may go, with these fields changed; mostly none.
    case accepts(JSONObject)
    case refuses(ShellError)
}

/// The hook of one point, such as `before_create`.
///
/// The program is started once for a command, or once for each few hundred records of a large one.
/// It reads a line of JSON a record until the end of its input and prints a line of JSON for each, in
/// that order. So it may be any filter: nothing waits for a line before the last one is written.
struct Hook {
    let config: HookConfig
    let schema: Schema
    let context: String
    let runner: ProgramRunner
    let interrupt: Interrupt
    let isDryRun: Bool

    /// Records and bytes that one run of the program is given.
    static let batch = 500
    private static let batchBytes = 4 << 20

    private var setting: String { "hooks.\(config.point)" }

    /// Asks about each of the writes.
    ///
    /// - Returns: A verdict for each, in their order.
    /// - Throws: Where the hook itself failed: then none of them may be done.
    func ask(_ events: [HookEvent]) throws(ShellError) -> [HookVerdict] {
        var verdicts: [HookVerdict] = []
        verdicts.reserveCapacity(events.count)
        var start = 0
        while start < events.count {
            var input: [UInt8] = []
            var end = start
            while end < events.count, end - start < Self.batch, input.count < Self.batchBytes {
                line(of: events[end]).write(into: &input)
                input.append(UInt8(ascii: "\n"))
                end += 1
            }
            verdicts += try ask(events[start..<end], input)
            start = end
        }
        return verdicts
    }

    /// Asks about one write; a refusal is thrown.
    ///
    /// - Returns: The fields that the hook changes.
    func ask(_ event: HookEvent) throws(ShellError) -> JSONObject {
        guard let verdict = try ask([event]).first else { return JSONObject() }
        switch verdict {
        case .accepts(let changes): return changes
        case .refuses(let error): throw error
        }
    }
}

extension Hook {
    private func line(of event: HookEvent) -> JSONValue {
        var line = JSONObject([
            ("event", .string(config.point)), ("context", .string(context)),
            ("model", .string(event.model.name)), ("id", .string(event.id.text)),
            ("record", .object(event.record)),
        ])
        if let set = event.set { line["set"] = .object(set) }
        if let old = event.old { line["old"] = .object(old) }
        if let parent = event.because {
            line["because"] = ["model": .string(parent.model), "id": .string(parent.id.text)]
        }
        if isDryRun { line["dry_run"] = true }
        return .object(line)
    }

    private func ask(_ events: ArraySlice<HookEvent>, _ input: [UInt8])
        throws(ShellError) -> [HookVerdict]
    {
        let masker = Masker()
        for event in events {
            for field in event.model.fields where field.isSecret {
                for side in [event.record, event.old ?? JSONObject()] {
                    if let text = side[field.name]?.text { masker.add(text) }
                }
            }
        }
        let output: [UInt8]
        do throws(ShellError) {
            output = try runner.run(
                config.program, as: setting, input: input, interrupt: interrupt, masker: masker)
        } catch {
            throw error.kind == .failed ? broken(error.message, error.hint) : error
        }
        let lines = output.split(separator: UInt8(ascii: "\n")).filter { line in
            !line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
        }
        guard lines.count == events.count else {
            throw broken(
                "\(name) answered \(Quantity.count(lines.count, "line")) for "
                    + Quantity.count(events.count, "record"))
        }
        var verdicts: [HookVerdict] = []
        for (event, line) in zip(events, lines) {
            verdicts.append(try verdict(on: event, line, masker))
        }
        return verdicts
    }

    private func verdict(on event: HookEvent, _ line: ArraySlice<UInt8>, _ masker: Masker)
        throws(ShellError) -> HookVerdict
    {
        let about = "\(event.model.name) \(event.id)"
        let answer: JSONObject
        do throws(JSONError) {
            guard case .object(let members) = try JSONValue.parse(line) else {
                throw JSONError(.syntax, "it is no object")
            }
            answer = members
        } catch {
            throw broken("\(name) answered no JSON object for \(about): \(error.message)")
        }
        for key in answer.keys where !["record", "refuse", "field"].contains(key) {
            throw broken("\(name) answered \"\(key)\" for \(about), which means nothing")
        }
        if let refusal = answer["refuse"] {
            guard let text = refusal.text, !text.isEmpty else {
                throw broken("\(name) refused \(about) without a text that says why")
            }
            let field = answer["field"]?.text.map { " (\($0))" } ?? ""
            let message = "\(setting) refuses \(about)\(field): \(masker.mask(text))"
            return .refuses(ShellError(.refused, Sanitizer.show(message)))
        }
        guard let record = answer["record"] else {
            if answer.isEmpty { return .accepts(JSONObject()) }
            throw broken("\(name) named a field of \(about) without \"refuse\"")
        }
        guard case .object(let wanted) = record else {
            throw broken("\(name) answered a record of \(about) that is no object")
        }
        return .accepts(try changes(wanted, event, masker))
    }

    /// The fields that the hook wants otherwise, each a value that a person could have set.
    private func changes(_ wanted: JSONObject, _ event: HookEvent, _ masker: Masker)
        throws(ShellError) -> JSONObject
    {
        let model = event.model
        let different = wanted.pairs.filter { event.record[$0.key] ?? .null != $0.value }
        if different.isEmpty { return JSONObject() }
        let about = "\(model.name) \(event.id)"
        if event.set == nil, event.old != nil {
            throw broken("\(name) changed \(about): a delete can be refused, not changed")
        }
        do throws(RecordsError) {
            let changes = try model.validate(data: JSONObject(unchecked: different), in: schema)
            for key in model.key where changes.index(of: key) != nil {
                throw RecordsError(.value, "\(key) is what the record is known by")
            }
            return changes
        } catch {
            throw broken(
                "\(name) changed \(about) so that it cannot be: \(masker.mask(error.message))")
        }
    }

    private var name: String { "\(setting) (\(config.program.command))" }

    /// A hook that does not work lets nothing pass.
    private func broken(_ message: String, _ hint: String? = nil) -> ShellError {
        ShellError(
            .failed, message,
            hint: hint ?? "nothing was done; mend the program, or take it out of satchel.json")
    }
}
