package import Platform

/// One start of the program: from arguments to an exit code.
package struct Launch {
    /// The seconds that a command which was told to end may take.
    ///
    /// Whatever it waits for, a pipe without a writer, a query, a deaf plugin: after this it is
    /// over. What was committed is kept and a transaction under way is as if it had not begun.
    private static let grace: UInt32 = 6

    private let environment: Environment

    package init(environment: Environment) { self.environment = environment }

    /// Runs what the process's arguments say.
    package func run(
        _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>, count: Int
    ) -> Int32 {
        let closed = StandardStreams.fill()
        let terminal = Terminal.current(environment)
        let console = Console.standard(terminal)
        Signals.ignoreBrokenPipes()
        var arguments: [String] = []
        do throws(ShellError) {
            arguments = try ArgumentWords.checked(words, count: count)
            // Before anything is done: afterwards nobody would learn what.
            if closed.contains(1) {
                throw ShellError(
                    .system, "standard output is closed",
                    hint: "send it to a file, or to /dev/null; nothing was done")
            }
            let invocation = try Invocation.parse(arguments: arguments)
            return try run(invocation, console).rawValue
        } catch {
            let format = OutputFormat.requested(in: arguments)
            console.report(error.report(), asJSON: format == .json || format == .ndjson)
            return error.exitCode.rawValue
        }
    }

    private func run(_ invocation: Invocation, _ console: Console) throws(ShellError) -> ExitCode {
        let isPrompt =
            invocation.command == nil && invocation.script.file == nil
            && console.terminal.inputIsTerminal && console.terminal.outputIsTerminal
        let signals = try system { () throws(SystemError) in
            try Signals.start(grace: isPrompt ? 0 : Self.grace)
        }
        let session = Session(
            console: console, environment: environment, clock: .system,
            interrupt: signals.interrupt,
            executable: try system { () throws(SystemError) in try Files.executable() },
            options: invocation.options)
        if invocation.command != nil { return session.run(invocation) }
        if isPrompt { return try session.runPrompt(signals) }
        return try runScript(session, invocation.script)
    }

    private func runScript(_ session: Session, _ options: ScriptOptions) throws(ShellError)
        -> ExitCode
    {
        guard case .file(let path)? = options.file else {
            session.readsCommandsFromInput = true
            let lines = LineReader(
                0, name: "<stdin>", interrupting: session.interrupt.descriptor)
            return session.runScript(lines, name: "<stdin>", options: options)
        }
        let file = try system { () throws(SystemError) in try Descriptor.open(path) }
        let lines = LineReader(
            file.number, name: path, interrupting: session.interrupt.descriptor)
        let code = session.runScript(lines, name: path, options: options)
        _ = consume file
        return code
    }

    private func system<T: ~Copyable>(_ body: () throws(SystemError) -> T) throws(ShellError) -> T {
        do throws(SystemError) { return try body() } catch { throw ShellError(error) }
    }
}
