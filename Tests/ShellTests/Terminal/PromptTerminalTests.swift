import Testing

@Suite(.serialized) struct `The prompt at a terminal` {
    static let scenarios = [
        "typing", "locale", "control_c", "control_d", "continuation", "history", "notice", "paste",
        "completion", "window", "stop", "vi", "hangup", "invalid",
    ]

    @Test(arguments: scenarios) func `does what a person expects`(_ scenario: String) throws {
        try TerminalScript(name: "prompt.py").run(scenario)
    }
}
