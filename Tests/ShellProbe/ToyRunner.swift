import Platform
import Shell

/// Runs lines by saying what they are, so that a test at a terminal can watch the prompt alone.
final class ToyRunner: LineRunner {
    var promptState = PromptState(context: "blog", network: .online)
    let secretNames = ["password"]
    private let signals: Signals
    private let notices: Mailbox<Repl.Notice>

    init(signals: Signals, notices: Mailbox<Repl.Notice>) {
        self.signals = signals
        self.notices = notices
    }

    func run(_ command: [UInt8]) -> LineOutcome {
        let text = String(decoding: command, as: UTF8.self)
        switch text {
        case "exit": return .leave
        case "history fail": return .failed
        case "notice":
            // The notice comes when the test says so, which has half typed the next line by then.
            let (notices, asked) = (notices, Path.join(Environment.current().home, "tell"))
            tell("armed")
            let worker = try? Worker.start {
                while !Files.exists(asked) { _ = Poll.wait(reading: [], milliseconds: 10) }
                notices.put(.text("delivered Post 0190c2aa"))
            }
            worker?.detach()
        case "queue":
            promptState.queued += 1
            notices.put(.state)
        case "wait":
            tell("waiting")
            _ = Poll.wait(reading: [signals.interrupt.descriptor], milliseconds: 1_000_000)
            tell(signals.interrupt.isRaised ? "cancelled" : "waited")
        default:
            let shown = text.split(separator: "\n", omittingEmptySubsequences: false)
            tell("ran <\(shown.joined(separator: "|"))>")
        }
        return .done
    }

    func completions(after words: [String], current: String) -> Completions {
        Completer(ToyData(), for: .prompt).completions(after: words, current: current)
    }

    func confirm(_ question: String) -> Bool {
        tell("\(question) y/N")
        let lines = LineReader(0, name: "<stdin>", interrupting: signals.interrupt.descriptor)
        guard case .line(let bytes)? = try? lines.next() else { return false }
        return bytes.first == UInt8(ascii: "y")
    }

    func followLogin() {}

    func leave() { tell("left") }

    private func tell(_ text: String) {
        let output = ByteOutput(1, name: "standard output")
        try? output.write(text + "\n")
        try? output.flush()
    }
}
