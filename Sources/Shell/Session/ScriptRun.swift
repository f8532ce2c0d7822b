internal import JSON
package import Platform
internal import Storage

/// Runs the commands of a script: consecutive writes share a commit, and nothing is printed before
/// it is durable.
struct ScriptRun {
    private let session: Session
    private let name: String
    private let options: ScriptOptions
    private var reader: StatementReader
    /// Results of writes that are not durable yet.
    private let pending = MemoryOutput()
    private var writes = 0
    private var batchSince: Int64 = 0
    private var applied = 0
    private var code = ExitCode.done

    /// Writes that share a commit at most, and how long the first of them waits for it.
    private static let batchBound = 4_000
    private static let batchMilliseconds: Int64 = 100

    init(_ session: Session, _ lines: LineReader, name: String, options: ScriptOptions) {
        self.session = session
        self.name = name
        self.options = options
        reader = StatementReader(lines)
    }

    mutating func run() -> ExitCode {
        let before = session.output
        defer { session.output = before }
        while true {
            let step = step()
            code = code.merged(with: step.code)
            if step.ends { break }
        }
        let end = finish()
        code = code.merged(with: end)
        return code
    }

    private typealias Step = (code: ExitCode, ends: Bool)

    private mutating func step() -> Step {
        do throws(ShellError) {
            // Whoever waits for an answer before they write on gets it now.
            if writes > 0, !options.isAtomic, !reader.isReady || isLate { try commit() }
            let next = try reader.next {
                (bytes, line) throws(ShellError) -> (Invocation?, Int) in
                (try Invocation.parse(line: bytes), line)
            }
            guard let (invocation, line) = next else { return (.done, true) }
            guard let invocation else { return (.done, false) }
            if case .exit = invocation.command { return (.done, true) }
            do throws(ShellError) {
                let code = try perform(invocation)
                if code == .done { return (.done, false) }
                return unsuccessful(code, invocation, line)
            } catch {
                var located = error
                located.line = error.line ?? line
                throw located
            }
        } catch {
            return failed(error)
        }
    }

    private var isLate: Bool {
        writes >= Self.batchBound
            || session.clock.monotonic() - batchSince >= Self.batchMilliseconds
    }

    private mutating func perform(_ invocation: Invocation) throws(ShellError) -> ExitCode {
        if options.checksOnly {
            try session.check(invocation)
            return .done
        }
        session.options = invocation.options.over(session.base)
        let joins = invocation.command?.joinsBatch ?? false
        // A hook is asked while no transaction is open.
        let asks = joins ? try session.asksHook(invocation.command) : false
        guard joins, !asks, !invocation.options.isDryRun else {
            if options.isAtomic, !(invocation.command?.readsOnly ?? true) {
                throw .usage(
                    "\(invocation.command?.name.rawValue ?? "it") cannot be part of --atomic",
                    hint: asks
                        ? "its hook is asked while no transaction is open"
                        : "only create, update and delete can")
            }
            if !options.isAtomic { try commit() }
            session.output = options.isAtomic ? pending : session.console.output
            let code = try session.perform(invocation)
            if code == .done { applied += 1 }
            return code
        }
        let store = try session.workspace().store
        if !store.isInBatch {
            try session.stored { () throws(StoreError) in try store.beginBatch() }
            batchSince = session.clock.monotonic()
        }
        session.output = pending
        let code = try session.perform(invocation)
        writes += 1
        return code
    }

    /// Makes the writes so far durable, then shows their results.
    private mutating func commit() throws(ShellError) {
        guard let store = session.opened?.store, store.isInBatch else { return }
        do throws(ShellError) {
            try session.stored { () throws(StoreError) in try store.commitBatch() }
        } catch {
            // What was not kept is not acknowledged.
            _ = pending.take()
            writes = 0
            throw error
        }
        applied += writes
        writes = 0
        let output = session.console.output
        let bytes = pending.take()
        try session.written { () throws(SystemError) in
            try output.write(bytes)
            try output.flush()
        }
    }

    /// A command that said itself what failed, such as a `sync` with conflicts, ends the script too.
    private func unsuccessful(_ code: ExitCode, _ invocation: Invocation, _ line: Int) -> Step {
        if options.keepsGoing, !code.endsRun { return (.partial, false) }
        if !code.endsRun {
            let command = invocation.command?.name.rawValue ?? ""
            session.console.note("\(name):\(line): stopped: \(command) exits \(code.rawValue)")
        }
        return (code, true)
    }

    /// Tells a failure; the commands before it stay done, but for `--atomic`.
    private mutating func failed(_ error: ShellError) -> Step {
        if options.isAtomic {
            session.opened?.store.rollbackBatch()
            _ = pending.take()
            writes = 0
            let code = session.fail(error, name)
            session.console.note("nothing was done: --atomic")
            return (code, true)
        }
        do throws(ShellError) { try commit() } catch {
            return (session.fail(error, name), true)
        }
        let code = session.fail(error, name)
        if options.keepsGoing, !code.endsRun, error.kind != .system, error.kind != .store {
            return (.partial, false)
        }
        if !options.checksOnly, applied > 0, !code.endsRun {
            session.console.note(
                "\(Quantity.count(applied, "command")) before it \(applied == 1 ? "is" : "are") done"
            )
        }
        return (code, !(options.checksOnly && !code.endsRun))
    }

    private mutating func finish() -> ExitCode {
        do throws(ShellError) {
            try commit()
            return .done
        } catch {
            return session.fail(error, name)
        }
    }
}

extension Command {
    /// Local writes that may share a commit with their neighbours.
    var joinsBatch: Bool {
        switch self {
        case .create(let request): !request.delivers
        case .update(let request): !request.delivers
        case .delete(let request): !request.delivers
        default: false
        }
    }

    /// Commands that change nothing, and so may stand within `--atomic`.
    var readsOnly: Bool {
        switch self {
        case .list, .get, .count, .exportRecords, .status, .log, .help, .version, .set: true
        default: false
        }
    }
}

extension Session {
    /// Runs a script's commands.
    package func runScript(_ lines: LineReader, name: String, options: ScriptOptions) -> ExitCode {
        var run = ScriptRun(self, lines, name: name, options: options)
        return run.run()
    }

    func runScript(_ source: InputSource) throws(ShellError) -> ExitCode {
        guard case .file(let path) = source else {
            throw .usage("source takes a file", hint: "satchel -f - reads standard input")
        }
        guard sourceDepth < 16 else {
            throw .usage("\(path): scripts that read each other more than 16 deep are not read")
        }
        sourceDepth += 1
        defer { sourceDepth -= 1 }
        let file = try written { () throws(SystemError) in try Descriptor.open(path) }
        let lines = LineReader(
            file.number, name: path, interrupting: interrupt.descriptor)
        let code = runScript(lines, name: path, options: ScriptOptions())
        _ = consume file
        return code
    }

    /// Judges a command by its words and the schema alone.
    func check(_ invocation: Invocation) throws(ShellError) {
        options = invocation.options.over(base)
        guard let command = invocation.command else { return }
        switch command {
        case .list(let request): try checkFilter(request.model, request.filter)
        case .count(let request): try checkFilter(request.model, request.filter)
        case .get(let request): try checkFilter(request.model, nil)
        case .create(let request):
            let open = try workspace()
            _ = try newRecord(request.values, try open.model(request.model), open)
        case .update(let request):
            let open = try workspace()
            let model = try open.model(request.model)
            var values = request.values
            let target = try target(request.target, &values, model, open)
            if case .filter(let text) = target { _ = try filter(text, model, open) }
            _ = try changes(try items(values), try data(values.data), model, JSONObject(), open)
        case .delete(let request):
            if case .filter(let text) = request.target {
                try checkFilter(request.model, text)
            } else {
                try checkFilter(request.model, nil)
            }
        default: break
        }
    }

    private func checkFilter(_ name: String, _ text: String?) throws(ShellError) {
        let open = try workspace()
        _ = try filter(text, try open.model(name), open)
    }
}
