internal import CSystem
internal import Glibc

/// What a program wrote that was run to its end, apart from our own terminal.
package struct CapturedRun: Sendable {
    /// The exit code; 128 and the signal where a signal ended it.
    package let code: Int32
    package let output: [UInt8]
    package let errors: [UInt8]

    package init(code: Int32, output: [UInt8], errors: [UInt8]) {
        self.code = code
        self.output = output
        self.errors = errors
    }
}

/// A program to run with its streams captured.
package struct CapturedProgram: Sendable {
    package var path: String
    package var arguments: [String]
    package var environment: Environment
    /// Where it runs; nil for the folder this process is in.
    package var directory: String?
    /// The most it may write to either stream, in bytes.
    package var limit = 16 << 20
    /// What leaves its group may stay when it has ended; see `GuardedLaunch`.
    package var sparesDaemons = false

    package init(_ path: String, _ arguments: [String] = [], environment: Environment) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// A command line for the system's shell.
    package init(shell command: String, environment: Environment) {
        self.init("/bin/sh", ["-c", command], environment: environment)
    }

    /// Runs it to its end; what it leaves running is ended.
    ///
    /// Throws kind `.timedOut`, `.interrupted` or `.tooLarge` after it was stopped.
    package func run(
        input: [UInt8] = [], within milliseconds: Int64, interrupt: Interrupt? = nil
    ) throws(SystemError) -> CapturedRun {
        Signals.ignoreBrokenPipes()
        let given = try Pipe.make()
        let printed = try Pipe.make()
        let complained = try Pipe.make()
        let process = try GuardedProcess(
            GuardedLaunch(
                path, arguments, environment: environment.variables, directory: directory,
                sparesDaemons: sparesDaemons),
            input: given.reading.number, output: printed.writing.number,
            errors: complained.writing.number)
        var streams = CapturedStreams(
            process: process, given: given.closeReading(), printed: printed.closeWriting(),
            complained: complained.closeWriting(), input: input)
        let deadline = Clock.system.monotonic() + milliseconds
        do throws(SystemError) {
            while try streams.exchange(limit: limit, until: deadline, interrupt: interrupt) {}
        } catch {
            _ = process.collect()
            throw SystemError(code: error.code, message: "\(path): \(error.message)")
        }
        let code = process.collect().code
        return CapturedRun(code: code, output: streams.output, errors: streams.errors)
    }
}

/// The pipes of a program that runs.
private struct CapturedStreams: ~Copyable {
    private let process: GuardedProcess
    private let printed: Descriptor
    private let complained: Descriptor
    /// Where its input is written to; negative once that is closed.
    private var given: Int32
    private var rest: ArraySlice<UInt8>
    /// Descriptors that came to their end.
    private var finished: [Int32] = []
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []

    init(
        process: GuardedProcess, given: consuming Descriptor, printed: consuming Descriptor,
        complained: consuming Descriptor, input: [UInt8]
    ) {
        given.setNonBlocking()
        printed.setNonBlocking()
        complained.setNonBlocking()
        self.process = process
        self.given = given.release()
        self.printed = printed
        self.complained = complained
        rest = input[...]
    }

    deinit { if given >= 0 { close(given) } }

    /// Moves what can be moved; false once the program has ended.
    mutating func exchange(
        limit: Int, until deadline: Int64, interrupt: Interrupt?
    ) throws(SystemError) -> Bool {
        let left = deadline - Clock.system.monotonic()
        guard left > 0 else { throw SystemError(code: ETIMEDOUT, message: "it took too long") }
        if interrupt?.isRaised ?? false { throw SystemError(code: EINTR, message: "interrupted") }
        feed()
        var waking = [process.descriptor] + (interrupt.map { [$0.descriptor] } ?? [])
        waking += [printed.number, complained.number].filter { !finished.contains($0) }
        let ready = Poll.wait(
            reading: waking, writing: given >= 0 ? [given] : [], milliseconds: left)
        if Self.drain(printed.number, into: &output) { finished.append(printed.number) }
        if Self.drain(complained.number, into: &errors) { finished.append(complained.number) }
        guard output.count <= limit, errors.count <= limit else {
            throw SystemError(code: EFBIG, message: "it wrote more than \(limit) bytes")
        }
        return !ready.contains(process.descriptor)
    }

    private mutating func feed() {
        while given >= 0, !rest.isEmpty {
            let number = given
            let wrote = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if wrote >= 0 {
                rest = rest.dropFirst(wrote)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // It reads no more: what is left is not for it.
                rest = []
            }
        }
        if given >= 0 { close(given) }
        given = -1
    }

    /// Takes what is there; true at the end of the stream.
    private static func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var block = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let got = read(descriptor, &block, block.count)
            if got > 0 {
                bytes += block[..<got]
            } else if got == 0 {
                return true
            } else if errno != EINTR {
                return false
            }
        }
    }
}
