import Platform
import Testing

@Suite(.serialized) struct `A person at a terminal` {
    @Test(arguments: ["login", "prompt"])
    func `is asked for secrets, which are not shown`(_ scenario: String) throws {
        try play(scenario, in: try VaultPlugin.home())
    }

    @Test(arguments: ["trust", "remove", "contexts"])
    func `is asked before something is trusted or lost`(_ scenario: String) throws {
        try play(scenario, in: try SatchelHome())
    }

    private func play(_ scenario: String, in home: SatchelHome) throws {
        let script = Path.join(Path.parent(#filePath), "consent.py")
        let run = try home.shell(
            "python3 '\(script)' \(scenario) '\(try SatchelHome.programs())' '\(home.path)'")
        #expect(run.code == 0, "\(run)")
    }
}
