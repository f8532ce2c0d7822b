internal import JSON
package import Platform

/// The two streams a person reads, and the manners on them.
///
/// Results go to `output`, exact and checked: a full disk or a closed pipe is an error of the
/// command. Everything else goes to `errors`, made safe to show; that nobody can read it stops
/// nothing. A text is one line, for what it quotes may be anybody's; only what was laid out of lines
/// that are safe each, as `Sanitizer.lines` does it, is told with its lines `.kept`.
package final class Console {
    package let output: any ByteSink
    package let errors: any ByteSink
    package let terminal: Terminal
    package var color: ColorChoice
    /// `--quiet`: notes are left out, warnings and errors are not.
    package var isQuiet = false
    /// `--verbose`: details are told.
    package var isVerbose = false

    package init(
        output: any ByteSink, errors: any ByteSink, terminal: Terminal, color: ColorChoice = .auto
    ) {
        self.output = output
        self.errors = errors
        self.terminal = terminal
        self.color = color
    }

    /// The console of this process.
    package static func standard(_ terminal: Terminal) -> Console {
        Console(
            output: ByteOutput(1, name: "standard output"),
            errors: ByteOutput(2, name: "standard error", capacity: 4096), terminal: terminal)
    }

    package var outputStyle: Style { terminal.style(.output, color: color) }
    package var errorStyle: Style { terminal.style(.errors, color: color) }

    /// Tells what is good to know, such as that a write is queued.
    package func note(_ text: String, lines: Sanitizer.Lines = .shown) {
        if !isQuiet { tell(Sanitizer.show(text, lines: lines) + "\n") }
    }

    /// Tells what deserves attention but stops nothing.
    package func warn(_ text: String, lines: Sanitizer.Lines = .shown) {
        tell("\(errorStyle(.yellow, "warning:")) \(Sanitizer.show(text, lines: lines))\n")
    }

    /// Tells what only somebody looking for a cause wants.
    package func detail(_ text: String) {
        if isVerbose { tell(errorStyle(.dim, Sanitizer.show(text)) + "\n") }
    }

    /// Tells a failure: a line of JSON under the json formats; nothing when a pipe was closed.
    package func report(_ failure: ErrorReport, asJSON: Bool) {
        guard failure.kind != ShellError.Kind.closedPipe.rawValue else { return }
        guard asJSON else { return tell(failure.text(errorStyle)) }
        let line = failure.json.serialized() + "\n"
        tell(line, through: terminal.errorsAreTerminal ? TerminalText(errors, as: .json) : errors)
    }

    /// A progress line, on a terminal only.
    package func progress(_ label: String, total: Int? = nil, clock: Clock) -> Progress {
        let isShown = terminal.errorsAreTerminal && !terminal.isDumb && !isQuiet
        return Progress(
            label, total: total, to: isShown ? errors : nil, width: terminal.size.columns,
            clock: clock)
    }

    /// Writes a text as it is to standard error; what was printed before stands before it, also
    /// where both go to one file.
    package func tell(_ text: String) { tell(text, through: errors) }

    private func tell(_ text: String, through errors: any ByteSink) {
        attempt { () throws(SystemError) in try output.flush() }
        attempt { () throws(SystemError) in
            try errors.write(text)
            try errors.flush()
        }
    }

    /// A stderr nobody reads stops nothing; a stdout that fails says so at the next write.
    private func attempt(_ write: () throws(SystemError) -> Void) {
        do throws(SystemError) { try write() } catch {}
    }
}
