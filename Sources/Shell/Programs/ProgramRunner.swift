internal import Platform
internal import Plugins

/// Runs the programs that a workspace's `satchel.json` names: hooks, and those of merge policies.
///
/// They run in a trusted workspace only, as this user saw them, in its folder, with few variables
/// and a time limit, and are ended with their whole group.
struct ProgramRunner: Sendable {
    let root: String
    /// Of the workspace: see `Workspace.programsLockPath`.
    let lockPath: String
    let environment: Environment

    init(_ workspace: Workspace, _ environment: Environment) {
        root = workspace.root
        lockPath = workspace.programsLockPath
        self.environment = environment
    }

    /// The most a program may write to either stream, in bytes.
    private static let limit = 16 << 20

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - config: Its command line and its time limit.
    ///   - setting: Where that stands, such as `hooks.before_create`, for messages.
    ///   - input: Its whole standard input.
    ///   - interrupt: Raised to end it.
    ///   - masker: Keeps secrets out of what is shown of its complaints.
    /// - Returns: What it printed.
    /// - Throws: Kind `.needsConsent` where it may not be started, `.interrupted`, and `.failed` for
    ///   everything else, the program and the setting named.
    func run(
        _ config: ProgramConfig, as setting: String, input: [UInt8], interrupt: Interrupt,
        masker: Masker
    ) throws(ShellError) -> [UInt8] {
        let name = "\(setting) (\(config.command))"
        let (command, seals) = try admit(config, name)
        var program = CapturedProgram(
            command.program, command.arguments, environment: variables(setting))
        program.directory = root
        program.limit = Self.limit
        if let changed = seals.first(where: { !$0.seal.holds($0.path) }) {
            throw ShellError(.needsConsent, "\(changed.path) changed while it was looked at")
        }
        let lock = try ShellError.locking("what \(root) may start is being changed") {
            () throws(SystemError) in
            // Together with others who run some.
            try FileLock.acquire(lockPath, .shared, within: 10_000, interrupt: interrupt)
        }
        let run: CapturedRun
        do throws(SystemError) {
            run = try program.run(
                input: input, within: config.milliseconds, interrupt: interrupt)
            _ = consume lock
        } catch {
            switch error.kind {
            case .interrupted: throw ShellError(.interrupted, "interrupted")
            case .timedOut:
                let limit = Self.seconds(config.milliseconds)
                throw ShellError(
                    .failed, "\(name) was not done within \(limit) and was stopped",
                    hint: "mend it, or give it more time: timeout, in seconds")
            case .tooLarge:
                throw ShellError(
                    .failed, "\(name) wrote more than \(Self.limit >> 20) MiB and was stopped")
            default: throw ShellError(.failed, "\(name): \(error.message)")
            }
        }
        guard run.code == 0 else {
            var message =
                run.code > 128
                ? "\(name) was ended by signal \(run.code - 128)"
                : "\(name) ended with exit code \(run.code)"
            let said = masker.mask(String(decoding: run.errors.prefix(2_000), as: UTF8.self))
            let line = said.split(separator: "\n").suffix(3).joined(separator: "; ")
            if !line.isEmpty { message += ": \(Sanitizer.show(line))" }
            throw ShellError(.failed, message)
        }
        return run.output
    }

    /// Looks whether the program may be started.
    private func admit(_ config: ProgramConfig, _ name: String) throws(ShellError)
        -> (WorkspaceCommand, [(path: String, seal: FileSeal)])
    {
        let trust = Trust(environment)
        let isTrusted: Bool
        do throws(SystemError) {
            let content = try Files.read(Path.join(root, Workspace.fileName), limit: 16 << 20)
            isTrusted = try trust.holds(workspace: root, content: content)
        } catch {
            throw ShellError(error)
        }
        guard isTrusted else { throw ShellError.untrusted(root) }
        do throws(ShellError) {
            let command = try WorkspaceCommand(
                config.command, root: root, environment: environment)
            var seals: [(path: String, seal: FileSeal)] = []
            for path in WorkspaceCommand.files(in: config.command, root: root) {
                if let seal = try trust.inspecting(path, in: root) { seals.append((path, seal)) }
            }
            _ = try trust.inspecting(command.program, in: root)
            return (command, seals)
        } catch {
            var told = error
            if error.kind != .needsConsent { told.kind = .failed }
            told.message = "\(name) is not started: \(error.message)"
            throw told
        }
    }

    /// No more than programs need to work, so that no secret of this process reaches them.
    private func variables(_ setting: String) -> Environment {
        let kept = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE"]
        var variables = environment.variables.filter {
            kept.contains($0.key) || $0.key.hasPrefix("LC_") || $0.key.hasPrefix("XDG_")
        }
        variables["SATCHEL_HOOK"] = setting
        variables["SATCHEL_WORKSPACE"] = root
        return Environment(variables: variables)
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}

extension Trust {
    /// As `inspect`, under the shell's error.
    func inspecting(_ path: String, in workspace: String) throws(ShellError) -> FileSeal? {
        do throws(PluginError) { return try inspect(path, in: workspace) } catch {
            throw ShellError(error.asBackendError)
        }
    }
}

extension ShellError {
    /// Takes a lock; where somebody held it for too long, `reason` says for what.
    static func locking<Lock: ~Copyable>(
        _ reason: String, _ take: () throws(SystemError) -> Lock
    ) throws(ShellError) -> Lock {
        do throws(SystemError) { return try take() } catch {
            guard error.kind == .timedOut else { throw ShellError(error) }
            throw ShellError(.busy, reason, hint: "try again when it is done")
        }
    }

    static func untrusted(_ root: String) -> ShellError {
        ShellError(
            .needsConsent, "\(root) is not trusted: it starts no program",
            hint: "look at what it would run, and consent: satchel trust")
    }
}
