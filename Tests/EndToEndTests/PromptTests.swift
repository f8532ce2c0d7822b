import Platform
import Testing

@Suite(.serialized) struct `The prompt of the built program` {
    @Test(arguments: ["session", "history", "offline", "interrupt", "keys", "stops"])
    func `does what a person expects`(_ scenario: String) throws {
        let home = try SatchelHome()
        let script = Path.join(Path.parent(#filePath), "prompt.py")
        let run = try home.shell(
            "python3 '\(script)' \(scenario) '\(try SatchelHome.programs())' '\(home.path)'")
        #expect(run.code == 0, "\(run)")
    }

    @Test func `goes on where somebody logs in elsewhere`() throws {
        let home = try VaultPlugin.home()
        let script = Path.join(Path.parent(#filePath), "prompt.py")
        let run = try home.shell(
            "python3 '\(script)' login '\(try SatchelHome.programs())' '\(home.path)'")
        #expect(run.code == 0, "\(run)")
    }
}
