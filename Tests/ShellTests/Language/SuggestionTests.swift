import Shell
import Testing

@Suite struct `Guessing which command was meant` {
    static let table: [(String, String?)] = [
        ("lst", "list"), ("lsit", "list"), ("LIST", "list"), ("creat", "create"),
        ("upd", "update"), ("qeue", "queue"), ("conflict", "conflicts"), ("xyzzy", nil),
        ("", nil), ("quarrantine", "quarantine"),
    ]

    @Test(arguments: table) func `finds the nearest name`(_ typed: String, _ meant: String?) {
        let hint = Suggestion.hint(for: typed, among: CommandName.visible.map(\.rawValue))
        #expect(hint == meant.map { "did you mean \"\($0)\"?" })
    }
}
