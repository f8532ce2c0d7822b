package import Platform

/// What is known about the three standard streams.
package struct Terminal: Sendable {
    package enum Stream: Int32, Sendable { case input = 0, output, errors }

    package var inputIsTerminal: Bool
    package var outputIsTerminal: Bool
    package var errorsAreTerminal: Bool
    /// Asked anew each time, since windows change.
    private var measured: @Sendable () -> TerminalSize?
    private var environment: Environment

    /// Asks the system about this process.
    package static func current(_ environment: Environment) -> Terminal {
        Terminal(
            input: Files.isTerminal(0), output: Files.isTerminal(1), errors: Files.isTerminal(2),
            environment: environment,
            measured: { TerminalSize(of: 1) ?? TerminalSize(of: 2) })
    }

    package init(
        input: Bool, output: Bool, errors: Bool, environment: Environment,
        measured: @escaping @Sendable () -> TerminalSize?
    ) {
        inputIsTerminal = input
        outputIsTerminal = output
        errorsAreTerminal = errors
        self.environment = environment
        self.measured = measured
    }

    /// The size of the window; what COLUMNS and LINES say, or 80 by 24, where it is not known.
    package var size: TerminalSize {
        if let size = measured(), size.rows > 0 { return size }
        return TerminalSize(columns: number("COLUMNS") ?? 80, rows: number("LINES") ?? 24)
    }

    /// True when a person can be asked: the question goes to stderr, the answer comes from stdin.
    package var canAsk: Bool { inputIsTerminal && errorsAreTerminal && !isDumb }

    /// A terminal without cursor movement or colour, such as an editor's compile window.
    package var isDumb: Bool { environment["TERM"] == "dumb" }

    package func isTerminal(_ stream: Stream) -> Bool {
        switch stream {
        case .input: inputIsTerminal
        case .output: outputIsTerminal
        case .errors: errorsAreTerminal
        }
    }

    /// How to dress text that goes to `stream`.
    ///
    /// First `--color`, then NO_COLOR (https://no-color.org), CLICOLOR_FORCE, and last whether the
    /// stream is a terminal that can show colours.
    package func style(_ stream: Stream, color: ColorChoice = .auto) -> Style {
        switch color {
        case .always: return .colored
        case .never: return .plain
        case .auto: break
        }
        if let no = environment["NO_COLOR"], !no.isEmpty { return .plain }
        if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" {
            return .colored
        }
        return isTerminal(stream) && !isDumb ? .colored : .plain
    }

    private func number(_ variable: String) -> Int? {
        environment[variable].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}

/// The words of `--color`.
package enum ColorChoice: String, Sendable, CaseIterable { case auto, always, never }
