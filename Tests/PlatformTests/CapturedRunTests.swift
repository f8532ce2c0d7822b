import Glibc
import Platform
import Testing

@Suite struct `Running a program for its output` {
    private func shell(_ command: String) -> CapturedProgram {
        CapturedProgram(shell: command, environment: Environment.current())
    }

    @Test func `gives both streams and the exit code`() throws {
        let run = try shell("echo out; echo err >&2; exit 3").run(within: 120_000)
        #expect(run.code == 3)
        #expect(run.output == Array("out\n".utf8))
        #expect(run.errors == Array("err\n".utf8))
    }

    @Test func `passes more through than a pipe holds, both ways at once`() throws {
        let bytes = [UInt8](repeating: 120, count: 1 << 20)
        let run = try shell("cat").run(input: bytes, within: 120_000)
        #expect(run.output == bytes)
    }

    @Test func `does not mind a program that reads nothing`() throws {
        let run = try shell("exit 0").run(
            input: [UInt8](repeating: 120, count: 1 << 20), within: 120_000)
        #expect(run.code == 0)
    }

    @Test func `is not held up by what the program leaves behind`() throws {
        let run = try shell("sleep 1000 & echo done").run(within: 120_000)
        #expect(run.output == Array("done\n".utf8))
    }

    @Test func `tells a signal by its number`() throws {
        #expect(try shell("kill -9 $$").run(within: 120_000).code == 137)
    }

    @Test(arguments: [
        ("sleep 1000", Int64(500), SystemError.Kind.timedOut), ("yes", 120_000, .tooLarge),
    ])
    func `stops what takes too long or says too much`(
        command: String, milliseconds: Int64, kind: SystemError.Kind
    ) throws {
        var program = shell(command)
        program.limit = 1 << 20
        let error = #expect(throws: SystemError.self) { try program.run(within: milliseconds) }
        #expect(error?.kind == kind)
    }

    @Test func `stops when interrupted`() throws {
        let interrupt = try Interrupt()
        interrupt.raise()
        let error = #expect(throws: SystemError.self) {
            try shell("sleep 1000").run(within: 120_000, interrupt: interrupt)
        }
        #expect(error?.kind == .interrupted)
    }
}
