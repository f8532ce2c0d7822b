import Shell
import Testing

@Suite struct `Guessing what was meant` {
    static let table: [(String, String?)] = [
        ("lst", "list"), ("lsit", "list"), ("LIST", "list"), ("creat", "create"),
        ("upd", "update"), ("qeue", "queue"), ("conflict", "conflicts"), ("xyzzy", nil),
        ("co", nil), ("", nil), ("quarrantine", "quarantine"),
    ]

    @Test(arguments: table) func `finds the nearest name`(_ typed: String, _ meant: String?) {
        let names = CommandName.visible.map(\.rawValue)
        #expect(Suggestion.nearest(to: typed, among: names) == meant)
    }
}
