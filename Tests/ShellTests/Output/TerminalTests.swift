import JSON
import Platform
import Shell
import Synchronization
import Testing

func terminal(
    _ variables: [String: String] = [:], input: Bool = true, output: Bool = true,
    errors: Bool = true, columns: Int = 80, rows: Int = 24
) -> Terminal {
    Terminal(
        input: input, output: output, errors: errors,
        environment: Environment(variables: variables),
        measured: { TerminalSize(columns: columns, rows: rows) })
}

@Suite struct `The choice of colour` {
    @Test(
        arguments: [
            (.auto, [:], true, true), (.auto, [:], false, false),
            (.never, ["CLICOLOR_FORCE": "1"], true, false),
            (.always, ["NO_COLOR": "1"], false, true),
            (.auto, ["NO_COLOR": "1"], true, false), (.auto, ["NO_COLOR": ""], true, true),
            (.auto, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], true, false),
            (.auto, ["CLICOLOR_FORCE": "1"], false, true),
            (.auto, ["CLICOLOR_FORCE": "0"], false, false),
            (.auto, ["TERM": "dumb"], true, false), (.always, ["TERM": "dumb"], true, true),
        ] as [(ColorChoice, [String: String], Bool, Bool)])
    func `goes by option, variable, stream`(
        _ choice: ColorChoice, _ variables: [String: String], _ isTerminal: Bool, _ isColored: Bool
    ) {
        let terminal = terminal(variables, output: isTerminal)
        #expect((terminal.style(.output, color: choice) == .colored) == isColored)
    }

    @Test func `is made for each stream`() {
        let terminal = terminal(output: false)
        #expect(terminal.style(.output) == .plain)
        #expect(terminal.style(.errors) == .colored)
    }

    @Test func `falls back to COLUMNS and to 80 by 24`() {
        let none = { @Sendable () -> TerminalSize? in nil }
        let said = Terminal(
            input: true, output: true, errors: true,
            environment: Environment(variables: ["COLUMNS": "132"]), measured: none)
        #expect(said.size == TerminalSize(columns: 132, rows: 24))
    }
}

@Suite struct `The console` {
    private func make(
        _ output: any ByteSink = MemoryOutput(),
        terminal: Terminal = terminal(output: false, errors: false)
    ) -> (Console, MemoryOutput) {
        let errors = MemoryOutput()
        return (Console(output: output, errors: errors, terminal: terminal), errors)
    }

    @Test func `tells notes, warnings and details, all made safe`() {
        let (console, errors) = make()
        console.note("queued \u{1b}[2J")
        console.warn("odd")
        console.detail("unseen")
        console.isVerbose = true
        console.isQuiet = true
        console.note("unsaid")
        console.detail("seen")
        #expect(errors.text == "queued ␛[2J\nwarning: odd\nseen\n")
    }

    @Test func `gives nothing that it quotes a line of its own`() {
        let (console, errors) = make()
        console.note("a\nb")
        console.warn("c\nd")
        console.report(
            ShellError(.usage, "\"e\nf\" is no item", hint: "not g\nh").report(), asJSON: false)
        console.note(Sanitizer.lines(["i\nj", nil, "  k"]), lines: .kept)
        #expect(
            errors.text == """
                a␊b
                warning: c␊d
                satchel: "e␊f" is no item
                  not g␊h
                i␊j
                  k

                """)
    }

    @Test func `reports an error for people and for programs`() {
        let (console, errors) = make()
        let failure = ShellError(
            .notFound, "no model Pots\u{7}", hint: "did you mean Post?", command: "list", line: 7)
        console.report(failure.report(in: "a.sat"), asJSON: false)
        console.report(failure.report(in: "a.sat"), asJSON: true)
        console.report(ShellError(.usage, "what?").report(), asJSON: true)
        console.report(ShellError(.usage, "what?").report(), asJSON: false)
        console.report(ShellError(.closedPipe, "gone").report(), asJSON: false)
        #expect(
            errors.text == """
                a.sat:7: no model Pots␇
                  did you mean Post?
                {"error":{"kind":"not-found","message":"no model Pots\\u0007","command":"list","line":7,"hint":"did you mean Post?"}}
                {"error":{"kind":"usage","message":"what?","command":null,"line":null,"hint":null}}
                satchel: what?

                """)
    }

    @Test func `notices a full disk`() throws {
        let full = try Descriptor.open("/dev/full", writing: true)
        let output = ByteOutput(full.number, name: "standard output")
        var rows = Listing(format: .ndjson).rows(to: output)
        try rows.begin(Column.values("a"))
        try rows.row(ValuesRow([1]))
        let error = #expect(throws: ShellError.self) { try rows.end() }
        #expect(error?.kind == .system)
        #expect(error?.message == "cannot write to standard output: No space left on device")
    }
}

@Suite struct `A progress line` {
    @Test func `is drawn ten times a second with rate and time left, and taken away`() {
        let now = Atomic<Int64>(1000)
        let clock = Clock(now: { 0 }, monotonic: { now.load(ordering: .relaxed) })
        let memory = MemoryOutput()
        var progress = Progress("importing Post", total: 100_000, to: memory, clock: clock)
        for _ in 0..<10 { progress.advance(by: 1000) }
        #expect(memory.text.isEmpty)
        now.add(500, ordering: .relaxed)
        progress.advance(by: 2500)
        progress.advance(by: 1)
        #expect(
            memory.text
                == "\r" + "importing Post: 12,500 of 100,000, 25,000/s, 4 s left\u{1b}[K")
        _ = memory.take()
        progress.finish()
        progress.finish()
        #expect(memory.text == "\r\u{1b}[K")
    }

    @Test func `never wraps`() {
        let now = Atomic<Int64>(0)
        let clock = Clock(now: { 0 }, monotonic: { now.load(ordering: .relaxed) })
        let memory = MemoryOutput()
        var progress = Progress("importing", total: 9, to: memory, width: 16, clock: clock)
        now.add(1000, ordering: .relaxed)
        progress.advance()
        #expect(memory.text == "\r" + "importing: 1 o…\u{1b}[K")
    }

    @Test func `is silent where nobody sees it`() {
        let clock = Clock(now: { 0 }, monotonic: { 0 })
        let errors = MemoryOutput()
        let console = Console(
            output: MemoryOutput(), errors: errors, terminal: terminal(errors: false))
        var progress = console.progress("pulling", clock: clock)
        progress.advance(by: 10)
        progress.finish()
        #expect(errors.bytes.isEmpty && progress.count == 10)
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min"),
        (90_000, "1 d 1 h"),
    ])
    func `words a span of time`(_ seconds: Int, _ words: String) {
        #expect(Quantity.duration(seconds: seconds) == words)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func `groups digits`(_ number: Int, _ text: String) {
        #expect(Quantity.grouped(number) == text)
    }
}

@Suite struct `The pager` {
    private func paged(_ pager: String?, rows: Int = 5, _ body: (PagedOutput) throws -> Void)
        throws -> (direct: String, paged: String, wasLeft: Bool)
    {
        Signals.ignoreBrokenPipes()
        let file = "/tmp/satchel-pager-\(Machine.processID)-\(RandomBytes.hexadecimal(count: 4))"
        defer { do { try Files.remove(file) } catch {} }
        let memory = MemoryOutput()
        let environment = Environment(
            variables: ["PATH": "/usr/bin:/bin", "FILE": file, "SATCHEL_PAGER": pager ?? ""])
        let output = try #require(
            PagedOutput(memory, terminal: terminal(rows: rows), environment: environment))
        try body(output)
        try output.finish()
        let paged = Files.exists(file) ? try Files.read(file) : []
        return (memory.text, String(decoding: paged, as: UTF8.self), output.wasLeft)
    }

    @Test func `stays away from what fits the window`() throws {
        let result = try paged("cat > $FILE") { try $0.write("1\n2\n3\n4\n") }
        #expect(result.direct == "1\n2\n3\n4\n" && result.paged.isEmpty)
    }

    @Test func `takes everything of what does not`() throws {
        let text = (1...10_000).map { "\($0)\n" }.joined()
        let result = try paged("cat > $FILE") { output in
            for line in text.split(separator: "\n") { try output.write(line + "\n") }
        }
        #expect(result.direct.isEmpty && result.paged == text)
    }

    @Test func `may be left before the end`() throws {
        let result = try paged("head -n 1 > $FILE") { output in
            let error = #expect(throws: SystemError.self) {
                for _ in 0..<100_000 { try output.write("a line\n") }
            }
            #expect(error?.kind == .closedPipe)
        }
        #expect(result.wasLeft && result.paged == "a line\n")
    }

    @Test(
        arguments: [
            ([:], false), (["PAGER": "cat"], true), (["PAGER": ""], true),
            (["PAGER": "more", "SATCHEL_PAGER": ""], true), (["PAGER": "more"], false),
        ] as [([String: String], Bool)])
    func `is chosen by the environment`(_ variables: [String: String], _ isNone: Bool) {
        #expect((Pager.command(Environment(variables: variables)) == nil) == isNone)
    }

    @Test func `is for terminals only`() {
        let environment = Environment(variables: [:])
        #expect(
            PagedOutput(MemoryOutput(), terminal: terminal(output: false), environment: environment)
                == nil)
    }
}
