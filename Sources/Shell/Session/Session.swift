package import Platform
internal import Storage

/// What lasts from one command to the next: streams, settings, and the store once it is open.
///
/// The three ways in, arguments, a script and the prompt, run their commands through one of these.
package final class Session {
    package let console: Console
    package let environment: Environment
    package let clock: Clock
    package let interrupt: Interrupt
    package let identifiers: Identifiers
    /// The path of this program, for plugins beside it.
    let executable: String
    /// What the process's own arguments said; a command's options come on top.
    let base: GlobalOptions
    /// Of the command that runs.
    var options: GlobalOptions
    /// Where results go: standard output, or memory until they are durable.
    var output: any ByteSink
    /// True while commands come from standard input: then it is not theirs to read.
    var readsCommandsFromInput = false
    /// How many scripts are being read, one from within the other.
    var sourceDepth = 0
    /// True at the prompt.
    var isInteractive = false
    /// What `set` chose for this session.
    var settings = SessionSettings()
    var opened: OpenWorkspace?
    /// What the command waits for, to say what a time-out hit.
    var waitsFor = Waiting.nothing
    private(set) var userConfig: UserConfig?
    /// Runs a sync on the prompt's background worker; nil elsewhere.
    var worker: SyncWorker?

    enum Waiting { case nothing, backend, store }

    package init(
        console: Console, environment: Environment, clock: Clock, interrupt: Interrupt,
        executable: String, options: GlobalOptions
    ) {
        self.console = console
        self.environment = environment
        self.clock = clock
        self.interrupt = interrupt
        self.executable = executable
        base = options
        self.options = options
        output = console.output
        identifiers = Identifiers(clock: clock)
    }

    func user() throws(ShellError) -> UserConfig {
        if let userConfig { return userConfig }
        let read = try UserConfig.read(environment)
        userConfig = read
        return read
    }

    /// Runs store work under the shell's error, minding a time-out.
    func stored<T>(_ body: () throws(StoreError) -> T) throws(ShellError) -> T {
        let before = waitsFor
        waitsFor = .store
        do throws(StoreError) {
            let result = try body()
            waitsFor = before
            return result
        } catch {
            throw ShellError(error)
        }
    }

    /// Writes results under the shell's error.
    func written<T: ~Copyable>(_ body: () throws(SystemError) -> T) throws(ShellError) -> T {
        do throws(SystemError) { return try body() } catch { throw ShellError(error) }
    }

    /// The format of results: asked for, set, the user's standard, or the stream's.
    func format() throws(ShellError) -> OutputFormat {
        let wanted = try user().output
        if let format = options.format ?? settings.format { return format }
        // A standard of one's own is for the eye: what a script gets does not depend on it.
        if let wanted, console.terminal.outputIsTerminal { return wanted }
        return .standard(onTerminal: console.terminal.outputIsTerminal)
    }

    func listing() throws(ShellError) -> Listing {
        Listing(
            format: try format(), terminal: console.terminal,
            color: options.color ?? settings.color ?? .auto)
    }

    var isJSON: Bool {
        switch options.format ?? settings.format {
        case .json, .ndjson: true
        default: false
        }
    }
}

/// What `set KEY VALUE` can change for a session.
struct SessionSettings {
    var format: OutputFormat?
    var color: ColorChoice?
    var isOffline = false
    var showsMeta = false
}
