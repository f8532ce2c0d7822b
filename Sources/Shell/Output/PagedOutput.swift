package import Platform

/// Standard output on a terminal: what is longer than the window goes through a pager.
///
/// The first lines wait until it is known that there are more than fit; then the pager is started
/// and takes everything.
package final class PagedOutput: ByteSink {
    /// True when the person left the pager before the end: not an error, but nobody reads on.
    package private(set) var wasLeft = false

    private let output: any ByteSink
    private let terminal: Terminal
    private let environment: Environment
    private let command: String
    private var pager: TerminalChild?
    /// What is written to: nil while the first lines wait.
    private var target: (any ByteSink)?
    private var first: [UInt8] = []
    private var lines = 0

    /// Pages what goes to `output`; nil when the output is no terminal or nothing should page.
    package init?(_ output: any ByteSink, terminal: Terminal, environment: Environment) {
        guard terminal.outputIsTerminal, terminal.inputIsTerminal, !terminal.isDumb,
            let command = Pager.command(environment)
        else { return nil }
        self.output = output
        self.terminal = terminal
        self.environment = environment
        self.command = command
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        if let target {
            return try leaving { () throws(SystemError) in try target.write(bytes) }
        }
        first += bytes
        lines += bytes.count { $0 == 0x0A }
        // The prompt that follows takes a line as well.
        if lines >= terminal.size.rows { try startPager() }
    }

    /// Hands on what has been decided on; the first lines wait on.
    package func flush() throws(SystemError) {
        guard let target else { return }
        try leaving { () throws(SystemError) in try target.flush() }
    }

    /// Shows what still waits and stays until the person has left the pager.
    package func finish() throws(SystemError) {
        guard let pager = pager.take() else {
            let target = target ?? output
            try target.write(first)
            first = []
            return try target.flush()
        }
        do throws(SystemError) { try target?.flush() } catch { wasLeft = true }
        target = output
        _ = pager.finish()
    }

    private func startPager() throws(SystemError) {
        try output.flush()
        let start = first
        first = []
        var variables = environment
        // As git does: less leaves the screen alone and shows colours, unless the user says else.
        if variables["LESS"] == nil { variables.variables["LESS"] = "FIRX" }
        do throws(SystemError) {
            let started = try TerminalChild.start(shell: command, environment: variables)
            target = ByteOutput(started.input, name: "the pager")
            pager = consume started
        } catch {
            target = output
        }
        try write(start)
    }

    private func leaving(_ write: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try write()
        } catch {
            wasLeft = pager != nil && error.kind == .closedPipe
            throw error
        }
    }
}
