// A stand-in for `satchel` at a terminal: the real prompt and the real completion over toy data.
import Platform
import Shell

func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "completion" {
        return
    }
    if arguments.first == "__complete" {
        let invocation = try Invocation.parse(arguments: arguments)
        guard case .complete(let request) = invocation.command else { return }
        let output = ByteOutput(1, name: "standard output")
        try output.write(Completer(ToyData(), for: .shell).reply(to: request))
        try output.flush()
        return
    }
    let signals = try Signals.start()
    let notices = try Mailbox<Repl.Notice>()
    let runner = ToyRunner(signals: signals, notices: notices)
    let repl = Repl(
        runner, signals: signals, notices: notices,
        history: HistoryFile.standard(Environment.current()), isColored: false)
    _ = repl.run()
}

try main()
