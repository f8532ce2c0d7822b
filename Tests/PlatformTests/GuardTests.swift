import Glibc
import Platform
import Testing

@Suite struct `A program under a guard` {
    let directory: String

    init() throws { directory = try Files.makeTemporaryDirectory(prefix: "satchel-guard") }

    private func shell(_ command: String) -> CapturedProgram {
        var program = CapturedProgram(shell: command, environment: Environment.current())
        program.directory = directory
        return program
    }

    /// The process that the program noted in a file; its own number where it noted none.
    private func noted() throws -> pid_t {
        let text = String(decoding: try Files.read(Path.join(directory, "pid")), as: UTF8.self)
        return try #require(pid_t(text.dropLast()))
    }

    static let leavings = [
        // In its group, in a session of its own, and behind a parent that is gone.
        "sleep 1000 & echo $! > pid",
        "setsid sh -c 'echo $$ > pid; exec sleep 1000' & while [ ! -s pid ]; do :; done",
        "(setsid sh -c 'echo $$ > pid; exec sleep 1000' &) ; while [ ! -s pid ]; do :; done",
        "trap '' TERM INT HUP; (setsid sh -c 'trap \"\" TERM; echo $$ > pid; sleep 1000; sleep 1000' &) ;"
            + " while [ ! -s pid ]; do :; done",
    ]

    @Test(arguments: leavings) func `leaves nothing running when it ends`(_ command: String) throws
    {
        defer { try? Files.removeTree(directory) }
        let run = try shell("\(command); exit 7").run(within: 60_000)
        #expect(run.code == 7)
        #expect(!Machine.isAlive(try noted()))
    }

    @Test(arguments: leavings) func `leaves nothing running when it is stopped`(_ command: String)
        throws
    {
        defer { try? Files.removeTree(directory) }
        let interrupt = try Interrupt()
        let waker = try Worker.start { [directory] in
            let begun = Path.join(directory, "begun")
            while !Files.exists(begun) { _ = Poll.wait(reading: [], milliseconds: 1) }
            interrupt.raise()
        }
        #expect(throws: SystemError.self) {
            try shell("\(command); : > begun; sleep 1000")
                .run(within: 60_000, interrupt: interrupt)
        }
        waker.join()
        #expect(!Machine.isAlive(try noted()))
    }

    @Test func `may leave an agent where that is wanted`() throws {
        defer { try? Files.removeTree(directory) }
        var program = shell(Self.leavings[2])
        program.sparesDaemons = true
        _ = try program.run(within: 60_000)
        let agent = try noted()
        #expect(Machine.isAlive(agent))
        kill(agent, SIGKILL)
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGSEGV, SIGABRT])
    func `is told by the signal that ended it`(_ number: Int32) throws {
        defer { try? Files.removeTree(directory) }
        #expect(try shell("kill -\(number) $$").run(within: 60_000).code == 128 + number)
    }

    @Test(arguments: [
        ("/no/such/program", ENOENT), ("/etc/passwd", EACCES), ("/etc", EACCES),
    ])
    func `says why it cannot be started`(_ path: String, _ code: Int32) throws {
        let error = #expect(throws: SystemError.self) {
            try CapturedProgram(path, environment: .current()).run(within: 60_000)
        }
        #expect(error?.code == code)
    }

    @Test func `may kill or stop its guard and wins nothing by it`() throws {
        defer { try? Files.removeTree(directory) }
        let killed = try shell("echo $$ > pid; kill -9 $PPID; exec sleep 1000").run(within: 60_000)
        #expect(killed.code == 137)
        // It is ended by the kernel, a moment after its guard.
        while try runs(noted()) { _ = Poll.wait(reading: [], milliseconds: 1) }
    }

    /// False for what has ended, collected or not.
    private func runs(_ process: pid_t) throws -> Bool {
        do throws(SystemError) {
            let state = try Files.read("/proc/\(process)/stat")
            return !String(decoding: state, as: UTF8.self).contains(") Z ")
        } catch {
            return false
        }
    }
}
