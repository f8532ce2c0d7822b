internal import Platform
internal import Storage

extension Session {
    /// Runs one command and tells its failure.
    ///
    /// - Parameters:
    ///   - invocation: What to run, and its options.
    ///   - script: The name of the script it stands in, for the failure's place.
    /// - Returns: How it ended.
    package func run(_ invocation: Invocation, in script: String? = nil) -> ExitCode {
        do throws(ShellError) {
            return try perform(invocation)
        } catch {
            return fail(error, script)
        }
    }

    /// Runs one command; what it printed is handed on.
    func perform(_ invocation: Invocation) throws(ShellError) -> ExitCode {
        options = invocation.options.over(base)
        apply(options)
        guard let command = invocation.command else { return .done }
        var deadline: Deadline?
        if let bound = options.timeoutMilliseconds {
            deadline = try written { () throws(SystemError) in try Deadline(bound, interrupt) }
        }
        defer { deadline?.cancel() }
        waitsFor = .nothing
        do throws(ShellError) {
            var code = try dispatch(command)
            try written { () throws(SystemError) in try output.flush() }
            // Following for a while is what was asked for.
            if deadline?.hasPassed ?? false, code == .interrupted { code = .done }
            return code
        } catch {
            var named = error
            if deadline?.hasPassed ?? false, error.kind == .interrupted { named = timedOut() }
            if error.isOfReadOnlyStore, let open = opened {
                // Not the statement, which nobody typed.
                named.message = "the store \(open.workspace.storePath) cannot be written"
                named.hint = open.workspace.adviceForReadOnly
            }
            if error.kind == .busy, let hook = slowHook { named.hint = hook }
            named.command = error.command ?? command.name.rawValue
            throw named
        }
    }

    private func apply(_ options: GlobalOptions) {
        console.color = options.color ?? settings.color ?? userConfig?.color ?? .auto
        console.isQuiet = options.isQuiet
        console.isVerbose = options.isVerbose
    }

    private func timedOut() -> ShellError {
        let milliseconds = options.timeoutMilliseconds ?? 0
        let bound =
            milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
        switch waitsFor {
        case .nothing: return ShellError(.failed, "not done within \(bound)")
        case .store: return ShellError(.busy, "the store was not free within \(bound)")
        case .backend:
            return ShellError(.unreachable, "the backend did not answer within \(bound)")
        }
    }

    /// Tells a failure in the format of the command.
    func fail(_ error: ShellError, _ script: String? = nil) -> ExitCode {
        if error.kind == .closedPipe { return .closedPipe }
        var told = error
        told.hint = error.hint.map(spoken)
        console.report(told.report(in: script), asJSON: isJSON)
        return error.exitCode
    }

    /// Advice that names commands, as it is typed here: the prompt needs no program's name.
    func spoken(_ advice: String) -> String {
        isInteractive ? advice.replacingProgram() : advice
    }

    private func dispatch(_ command: Command) throws(ShellError) -> ExitCode {
        switch command {
        case .list(let request): try list(request)
        case .get(let request): try get(request)
        case .count(let request): try count(request)
        case .create(let request): return try create(request)
        case .update(let request): return try update(request)
        case .delete(let request): return try delete(request)
        case .importRecords(let request): return try importRecords(request)
        case .exportRecords(let models): try exportRecords(models)
        case .undo(let request): return try undo(request)
        case .sync(let request): return try sync(request)
        case .status: try status()
        case .queue(let request): return try queue(request)
        case .conflicts(let request): return try conflicts(request)
        case .quarantine(let request): try quarantine(request)
        case .watch(let request): return try watch(request)
        case .log(let request): try log(request)
        case .schema(let request): try schema(request)
        case .initialise(let request): try initialise(request)
        case .config(let request): try config(request)
        case .context(let request): try context(request)
        case .auth(let request): return try auth(request)
        case .plugin(let request): return try plugin(request)
        case .trust: try trust()
        case .doctor: return try doctor()
        case .help(let topic): try help(topic)
        case .version: try version()
        case .history(let count): try history(count)
        case .set(let request): try set(request)
        case .source(let source): return try runScript(source)
        case .completion(let shell): try completion(shell)
        case .exit: break
        case .complete(let request): complete(request)
        }
        return .done
    }
}

extension GlobalOptions {
    /// These options where they say something, else those of `base`.
    func over(_ base: GlobalOptions) -> GlobalOptions {
        var merged = self
        merged.workspace = workspace ?? base.workspace
        merged.context = context ?? base.context
        merged.format = format ?? base.format
        merged.isOffline = isOffline || base.isOffline
        merged.assumesYes = assumesYes || base.assumesYes
        merged.noInput = noInput || base.noInput
        merged.isDryRun = isDryRun || base.isDryRun
        merged.isQuiet = isQuiet || base.isQuiet
        merged.isVerbose = isVerbose || base.isVerbose
        merged.timeoutMilliseconds = timeoutMilliseconds ?? base.timeoutMilliseconds
        merged.color = color ?? base.color
        merged.showsMeta = showsMeta || base.showsMeta
        return merged
    }
}

extension String {
    /// The text without "satchel " where a command's name follows: a path or an option keeps it.
    func replacingProgram() -> String {
        let parts = split(separator: "satchel ", omittingEmptySubsequences: false)
        var text = String(parts[0])
        for part in parts.dropFirst() {
            let isWord = text.utf8.last.map { " \n\"".utf8.contains($0) } ?? true
            let isCommand = part.utf8.first?.isLowerCaseLetter ?? false
            if !isWord || !isCommand { text += "satchel " }
            text += part
        }
        return text
    }
}
