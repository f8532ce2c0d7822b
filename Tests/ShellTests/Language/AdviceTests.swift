import Testing

@testable import Shell

@Suite struct `Advice at the prompt` {
    static let table = [
        ("go on with: satchel sync resume", "go on with: sync resume"),
        ("satchel trust shows what would run", "trust shows what would run"),
        ("satchel -f - reads standard input", "satchel -f - reads standard input"),
        ("look into /srv/satchel notes", "look into /srv/satchel notes"),
        ("see: satchel queue\nor: satchel status", "see: queue\nor: status"),
        ("nothing of it", "nothing of it"),
    ]

    @Test(arguments: table) func `names commands without the program`(
        _ advice: String, _ expected: String
    ) {
        #expect(advice.replacingProgram() == expected)
    }
}
