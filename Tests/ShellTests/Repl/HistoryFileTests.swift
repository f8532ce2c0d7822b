import Platform
import Shell
import Testing

@Suite struct `The history file` {
    let folder: ScratchFolder
    let clock = Clock(now: { 1_700_000_000_000 }, monotonic: { 0 })

    init() throws { folder = try ScratchFolder() }

    func history(limit: Int64 = 4 << 20) -> HistoryFile {
        HistoryFile(path: folder.file("state/history"), clock: clock, limit: limit)
    }

    @Test func `keeps commands of one line and of several`() throws {
        #expect(try history().commands() == [])
        for command in ["list Post", "create Post body='a\n\nb'", "exit"] {
            try history().append(command)
        }
        #expect(
            try history().commands() == ["list Post", "create Post body='a\n\nb'", "exit"])
        #expect(try folder.read("state/history").hasPrefix("#1700000000\nlist Post\n"))
    }

    @Test func `is for its owner alone`() throws {
        try history().append("list Post")
        #expect(try Files.status(folder.file("state/history")).mode == 0o600)
        try Files.setMode(folder.file("state/history"), 0o644)
        try history().append("list Post")
        #expect(try Files.status(folder.file("state/history")).mode == 0o600)
    }

    @Test func `takes lines without times`() throws {
        _ = try folder.write("state/history", "one\ntwo\n")
        #expect(try history().commands() == ["one", "two"])
        try history().append("three")
        #expect(try history().commands() == ["one", "two", "three"])
    }

    @Test func `is cut at a command when it grows too long`() throws {
        for number in 0..<200 { try history(limit: 1000).append("command \(number)") }
        let kept = try history().commands()
        #expect(kept.last == "command 199")
        #expect(kept.count < 60)
        #expect(kept.allSatisfy { $0.hasPrefix("command ") })
    }

    @Test func `loses nothing when several sessions write`() throws {
        let history = history()
        let workers = try (0..<4).map { session in
            try Work { for n in 0..<25 { try? history.append("session \(session) \(n)") } }
        }
        for worker in workers { worker.join() }
        #expect(try history.commands().count == 100)
    }

    static let secrets = [
        (" list Post", false), ("\tlist Post", false), ("create User password=x", false),
        ("craete User password:=\"x\"", false), ("list User where password = 1", false),
        ("create User passwords=x", true), ("list Post", true), ("", false),
        ("config set config.token x", false),
        ("config set contexts.work.config.token x", false),
        ("context add work --backend x --set token=y", false), ("config set sync auto", true),
    ]

    @Test(arguments: secrets) func `leaves out what must not be kept`(
        _ command: String, _ keeps: Bool
    ) {
        #expect(HistoryPolicy.keeps(command, secretNames: ["password"]) == keeps)
    }
}

/// A thread that can be kept in an array.
private final class Work {
    private var worker: Worker?

    init(_ body: @escaping @Sendable () -> Void) throws { worker = try Worker.start(body) }

    func join() {
        let worker = worker.take()
        worker?.join()
    }
}
