internal import Platform
internal import Records

extension Session {
    /// Takes commands from a person until they leave.
    func runPrompt(_ signals: Signals) throws(ShellError) -> ExitCode {
        isInteractive = true
        let notices = try written { () throws(SystemError) in
            try Mailbox<Repl.Notice>()
        }
        let runner = PromptRunner(self, notices)
        greet()
        runner.followWorkspace()
        defer { worker?.stop() }
        let history =
            try user().keepsHistory ? HistoryFile.standard(environment, clock: clock) : nil
        let repl = Repl(
            runner, signals: signals, notices: notices, history: history,
            isColored: console.outputStyle != .plain)
        return repl.run()
    }

    /// Opens the workspace, or says why there is none: commands such as `init` work without.
    private func greet() {
        do throws(ShellError) {
            let open = try workspace()
            let models = open.schema.models.map(\.name).prefix(6).joined(separator: ", ")
            console.note("\(open.workspace.root): \(models); \"help\" lists the commands")
        } catch {
            console.report(error.report(), asJSON: false)
        }
    }
}
