internal import JSON
internal import Platform
internal import Plugins

/// Takes secrets and settings from a person, hidden where they are secret, or a line each from a
/// pipe.
struct SecretAsker {
    private let console: Console
    private let reader: LineReader
    private let canAsk: Bool

    /// - Throws: Kind `.usage` where standard input holds the commands.
    init(_ session: Session) throws(ShellError) {
        guard !session.readsCommandsFromInput else {
            throw .usage(
                "standard input holds the commands: a secret cannot be read from it",
                hint: "satchel auth login < FILE, or at the prompt")
        }
        console = session.console
        canAsk = console.terminal.canAsk
        if console.terminal.inputIsTerminal, !canAsk || session.options.noInput {
            throw ShellError(.needsLogin, "secrets cannot be asked for here")
        }
        reader = LineReader(
            0, name: "<stdin>", limit: 1 << 20, interrupting: session.interrupt.descriptor)
    }

    /// A secret; an empty answer keeps the one there is.
    func secret(
        _ key: String, _ label: String, orKeep before: JSONValue?
    ) throws(ShellError) -> JSONValue {
        var line: String
        if canAsk {
            let question = "\(label)\(before == nil ? "" : " (empty: as before)"): "
            line = try TerminalEcho.hidden(0) { () throws(ShellError) in
                // Only now: whoever sees the question may type at once.
                console.tell(Sanitizer.show(question))
                return try next(key)
            }
        } else {
            line = try next(key)
        }
        if line.utf8.last == 0x0D { line.removeLast() }
        if !line.isEmpty { return .string(line) }
        guard let before else { throw ShellError(.needsLogin, "no \(key) was given") }
        return before
    }

    /// A setting that is no secret.
    func setting(
        _ question: PluginBackend.Question, _ workspace: Workspace
    ) throws(ShellError) -> JSONValue {
        guard canAsk else {
            if let answer = question.defaultAnswer { return .string(answer) }
            throw ShellError(
                .failed, "the backend wants to know \(question.key) (\(question.label))",
                hint: "satchel config set contexts.\(workspace.context.name).config."
                    + "\(question.key) VALUE")
        }
        if let help = question.help { console.note(help) }
        var text = question.label
        if !question.choices.isEmpty { text += " (\(question.choices.joined(separator: ", ")))" }
        if let answer = question.defaultAnswer { text += " [\(answer)]" }
        console.tell("\(Sanitizer.show(text)): ")
        let line = try next(question.key)
        return .string(line.isEmpty ? question.defaultAnswer ?? "" : line)
    }

    private func next(_ key: String) throws(ShellError) -> String {
        do throws(SystemError) {
            switch try reader.next() {
            case .line(let bytes):
                guard let text = String(validating: bytes, as: UTF8.self) else { break }
                return text
            case .end:
                throw SystemError(code: 0, message: "standard input ended before \(key)")
            case .interrupted:
                console.tell("\n")
                throw SystemError(code: 4, message: "interrupted")
            }
        } catch {
            if error.code == 0 { throw ShellError(.needsLogin, error.message) }
            throw ShellError(error)
        }
        throw ShellError(.input, "\(key) is no UTF-8 text")
    }
}
