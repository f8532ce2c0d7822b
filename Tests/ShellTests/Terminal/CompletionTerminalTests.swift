import Testing

@Suite struct `Completion in a shell` {
    @Test(arguments: ["bash", "zsh"]) func `completes what is typed`(_ shell: String) throws {
        try TerminalScript(name: "completion.py").run(shell)
    }
}
