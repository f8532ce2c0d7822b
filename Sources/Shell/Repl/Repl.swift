internal import JSON
package import Platform

/// The prompt: takes lines from a person at a terminal and gives them to the session.
///
/// Standard input and standard output must be terminals. One at a time, on one thread.
package final class Repl {
    /// Something another thread has to tell.
    package enum Notice: Sendable {
        /// What to show above the line being typed, laid out of lines that are safe each.
        case text(String)
        /// As `text`, of what deserves attention.
        case warning(String)
        /// What the prompt shows may have changed.
        case state
        /// Somebody logged in, in another process.
        case loggedIn
    }

    private let runner: any LineRunner
    private let signals: Signals
    private let notices: Mailbox<Notice>
    private let history: HistoryFile?
    private let isColored: Bool
    private let editor = LineEditor()
    /// The lines of a command that goes on.
    private var open: [UInt8] = []
    private var latest: String?

    /// - Parameters:
    ///   - runner: The session.
    ///   - signals: Ctrl-C and changes of the window.
    ///   - notices: What background work tells.
    ///   - history: Nil keeps nothing.
    ///   - isColored: Colours the prompt.
    package init(
        _ runner: any LineRunner, signals: Signals, notices: Mailbox<Notice>,
        history: HistoryFile?, isColored: Bool
    ) {
        self.runner = runner
        self.signals = signals
        self.notices = notices
        self.history = history
        self.isColored = isColored
        editor.complete = { [unowned self] in completion(before: $0) }
    }

    /// Takes lines until the person leaves.
    ///
    /// - Returns: `.done`; `.interrupted` when a signal ended it.
    package func run() -> ExitCode {
        remember()
        editor.install(prompt: prompt)
        defer { editor.remove() }
        while true {
            let ready = Poll.wait(
                reading: [
                    0, signals.interrupt.descriptor, signals.resized.descriptor,
                    notices.descriptor,
                ], milliseconds: -1)
            if ready.contains(signals.interrupt.descriptor), isEnding() { return .interrupted }
            if ready.contains(signals.resized.descriptor) { adapt() }
            if ready.contains(notices.descriptor) { tell() }
            guard ready.contains(0) else { continue }
            editor.readKey()
            switch editor.input {
            case nil: continue
            case .end:
                if leaves() { return .done }
            case .line(let line):
                if take(line) == .leave { return .done }
            }
            editor.install(prompt: prompt)
        }
    }
}

extension Repl {
    private var prompt: String {
        open.isEmpty ? runner.promptState.text(colored: isColored) : PromptState.continuation
    }

    /// Ctrl-C drops the line; other signals end the session.
    private func isEnding() -> Bool {
        let isInterrupt = signals.interrupt.signal == Signals.interruptNumber
        signals.interrupt.reset()
        guard isInterrupt else { return true }
        open = []
        editor.abandonLine(prompt: prompt)
        return false
    }

    private func adapt() {
        let isContinued = signals.resized.signal == Signals.continueNumber
        signals.resized.reset()
        if isContinued { editor.resume() } else { editor.resize() }
    }

    private func tell() {
        var text = ""
        for notice in notices.takeAll() {
            switch notice {
            case .text(let line): text += Sanitizer.show(line, lines: .kept) + "\n"
            case .warning(let line):
                text += "warning: \(Sanitizer.show(line, lines: .kept))\n"
            case .state: break
            case .loggedIn: runner.followLogin()
            }
        }
        if text.isEmpty {
            editor.show(prompt: prompt)
        } else {
            editor.printAbove(text, prompt: prompt)
        }
    }

    /// Ctrl-D first drops a command that goes on, then leaves.
    private func leaves() -> Bool {
        write("\n")
        guard open.isEmpty else {
            open = []
            return false
        }
        runner.leave()
        return true
    }

    private func take(_ line: [UInt8]) -> LineOutcome {
        let text = open.isEmpty ? line : open + [0x0A] + line
        let block = CommandBlock(text)
        open = block.open
        guard !block.commands.isEmpty else { return .done }
        if block.needsConsent, !consents(to: block) { return .done }
        for (index, command) in block.commands.enumerated() {
            record(command)
            let outcome = runner.run(command)
            let wasInterrupted = signals.interrupt.isRaised
            if wasInterrupted { signals.interrupt.reset() }
            if outcome == .leave {
                runner.leave()
                return .leave
            }
            let left = block.commands.count - index - 1
            if outcome == .failed || wasInterrupted, left > 0 {
                write(
                    "\(left) more pasted \(left == 1 ? "command was" : "commands were") not run\n")
                return .failed
            }
        }
        return .done
    }

    /// A pasted block may have been meant for elsewhere.
    private func consents(to block: CommandBlock) -> Bool {
        var text = "pasted \(block.commands.count) commands:\n"
        for command in block.commands.prefix(20) {
            text += "  \(Sanitizer.show(bytes: command).cut(toWidth: 76))\n"
        }
        if block.commands.count > 20 { text += "  ...\n" }
        write(text)
        return runner.confirm("Some of them delete or overwrite. Run all?")
    }

    private func completion(before line: [UInt8]) -> LineCompletion? {
        // What is open was typed on lines before this one.
        let before = open.isEmpty ? line : open + [0x0A] + line
        let context = LineCompletion.context(before)
        let completions = runner.completions(after: context.words, current: context.current)
        return LineCompletion(completions, before: line)
    }
}

// MARK: - History

extension Repl {
    private func remember() {
        guard let history else { return }
        do throws(SystemError) {
            let commands = try history.commands()
            editor.remember(commands.suffix(5000))
            latest = commands.last
        } catch {
            write("history: \(Sanitizer.show(error.message))\n")
        }
    }

    private func record(_ command: [UInt8]) {
        guard let text = String(validating: command, as: UTF8.self),
            HistoryPolicy.keeps(text, secretNames: runner.secretNames),
            latest?.sameBytes(as: text) != true
        else { return }
        latest = text
        editor.remember([text])
        guard let history else { return }
        do throws(SystemError) {
            try history.append(text)
        } catch {
            write("history: \(Sanitizer.show(error.message))\n")
        }
    }

    private func write(_ text: String) {
        let output = ByteOutput(1, name: "standard output")
        do throws(SystemError) {
            try output.write(text)
            try output.flush()
        } catch {
            // The terminal is gone: the next key says so.
        }
    }
}
