internal import JSON
internal import Platform
internal import Records
internal import Storage

extension Session {
    /// The hook that is asked before a write, such as `before_create`; nil where there is none.
    ///
    /// - Throws: Kind `.needsConsent` in a workspace that is not trusted; `.usage` within `--atomic`,
    ///   whose transaction is open all the time; `.refused` for a write of a hook itself.
    func hook(_ point: String, _ open: OpenWorkspace) throws(ShellError) -> Hook? {
        guard let config = open.workspace.config.hooks.first(where: { $0.point == point }) else {
            return nil
        }
        if open.store.isInBatch {
            throw .usage(
                "the hook \(point) cannot be asked within --atomic",
                hint: "import takes all of a file or nothing, hooks asked")
        }
        if let running = environment["SATCHEL_HOOK"], running.hasPrefix("hooks.before_") {
            throw ShellError(
                .refused, "\(running) is running: a write of it would ask the hook \(point) again",
                hint: "change the record in the answer instead")
        }
        try requireTrust(open.workspace)
        return Hook(
            config: config, schema: open.schema, context: open.workspace.context.name,
            runner: ProgramRunner(open.workspace, environment),
            interrupt: interrupt, isDryRun: options.isDryRun)
    }

    /// True for a command that asks a hook and so cannot share a commit with its neighbours.
    func asksHook(_ command: Command?) throws(ShellError) -> Bool {
        let hooks = try workspace().workspace.config.hooks
        if hooks.isEmpty { return false }
        switch command {
        case .create: return hooks.contains { $0.point == "before_create" }
        case .update: return hooks.contains { $0.point == "before_update" }
        case .delete: return hooks.contains { $0.point == "before_delete" }
        default: return false
        }
    }

    /// Does a write that a hook was asked about, and asks again where the records changed meanwhile.
    ///
    /// The first time nothing is locked. Who comes too late stands in a line with others whom that
    /// happened to; and where writes that ask no hook, such as a sync's, get in between again and
    /// again, nobody else may write while the hook is asked for the last time. So it comes to an end.
    ///
    /// - Parameters:
    ///   - open: Where it is written.
    ///   - attempt: Asks and writes; nil where what it was asked about is no longer so.
    /// - Returns: What the attempt that wrote gave.
    /// - Throws: As `attempt`; kind `.busy` when a lock could not be had in time.
    func settled<T>(_ open: OpenWorkspace, _ attempt: () throws(ShellError) -> T?)
        throws(ShellError) -> T
    {
        if let result = try attempt() { return result }
        let turn = try ShellError.locking("others write what the hook is asked about") {
            () throws(SystemError) in
            try FileLock.acquire(
                open.workspace.turnLockPath, within: Self.longestTurn, interrupt: interrupt)
        }
        var result: T?
        for _ in 1...3 where result == nil { result = try attempt() }
        if result == nil {
            result = try open.store.write(attempt, mapping: { ShellError($0) })
        }
        _ = consume turn
        guard let result else {
            throw ShellError(
                .busy, "the records kept changing while the hook was asked", hint: "try again")
        }
        return result
    }

    /// What a store is busy with while a hook is asked about the write of another command; nil where
    /// none is.
    var slowHook: String? {
        do {
            guard let workspace = try workspaceIfAny(), Files.exists(workspace.turnLockPath)
            else { return nil }
            if try FileLock.attempt(workspace.turnLockPath) != nil { return nil }
            return "a hook is being asked about the write of another command: try again, or make "
                + "the hook quicker"
        } catch {
            return nil
        }
    }

    /// Milliseconds; each in the line takes no longer than its hook may.
    private static var longestTurn: Int64 { 3_600_000 }
}

extension Model {
    /// True when two states of a record are the same to whoever looks at them.
    func isSame(_ one: JSONObject?, _ other: JSONObject?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one == other || normalized(one) == normalized(other)
    }
}
