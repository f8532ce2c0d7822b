internal import CSystem
internal import Glibc
internal import Platform
internal import Synchronization

/// A running program: its input, and the thread that reads what it says.
final class ChildProcess: Sendable {
    enum Writing { case done, closed, late, interrupted }

    let process: GuardedProcess
    private let input: Mutex<Descriptor?>
    private let reader = Mutex<Worker?>(nil)

    private init(_ process: GuardedProcess, input: consuming Descriptor) {
        self.process = process
        self.input = Mutex(input)
    }

    deinit {
        process.end()
        // The reader sees the end, collects the process and closes the pipes.
        if let reader = reader.withLock({ $0.take() }) { reader.join() }
    }

    /// Starts a program and the thread that drains its output into `sink`.
    static func start(
        _ program: Program, sink: @escaping @Sendable (OutputReader.Event) -> Void
    ) throws(SystemError) -> ChildProcess {
        Signals.ignoreBrokenPipes()
        let input = try Pipe.make()
        let output = try Pipe.make()
        let errors = try Pipe.make()
        for pipe in [input.writing.number, output.reading.number] {
            _ = satchel_grow_pipe(pipe, 1 << 20)
        }
        if let seal = program.seal, !seal.holds(program.path) {
            throw SystemError(
                code: EPERM, message: "\(program.path) changed since it was looked at")
        }
        let started = try GuardedProcess(
            GuardedLaunch(
                program.path, program.arguments, environment: program.environment,
                directory: program.directory),
            input: input.reading.number, output: output.writing.number,
            errors: errors.writing.number)
        let writing = input.closeReading()
        writing.setNonBlocking()
        let process = ChildProcess(started, input: writing)
        let reader = OutputReader(
            output: output.closeWriting(), errors: errors.closeWriting(), process: started,
            sink: sink)
        try process.reader.withLock { (worker) throws(SystemError) in
            worker = try Worker.start { reader.run() }
        }
        return process
    }

    /// Writes all bytes to its input.
    ///
    /// The deadline is of the monotonic clock. After anything but `.done` part of the bytes may
    /// have been written.
    func write(_ bytes: [UInt8], until deadline: Int64, interrupt: Interrupt?) -> Writing {
        let number = input.withLock { input in
            switch input {
            case .some(let descriptor): descriptor.number
            case .none: Int32(-1)
            }
        }
        guard number >= 0 else { return .closed }
        return bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                let wrote = Glibc.write(number, start, rest.count)
                if wrote >= 0 {
                    rest = rest.dropFirst(wrote)
                } else if errno == EAGAIN {
                    if interrupt?.isRaised == true { return .interrupted }
                    let left = deadline - Clock.system.monotonic()
                    guard left > 0 else { return .late }
                    let waking = [process.descriptor] + (interrupt.map { [$0.descriptor] } ?? [])
                    let ready = Poll.wait(reading: waking, writing: [number], milliseconds: left)
                    if ready.contains(process.descriptor) { return .closed }
                } else if errno != EINTR {
                    return .closed
                }
            }
            return .done
        }
    }

    /// True when it had ended within the time, and what it started.
    func ends(within milliseconds: Int64) -> Bool { process.ends(within: milliseconds) }

    func closeInput() { input.withLock { $0 = nil } }

    /// Ends the process: end of input, SIGTERM to its group, and then whatever it takes.
    ///
    /// When it returns the process is collected, what it started is gone, and every pipe is closed.
    func stop(closing: Int64, terminating: Int64) -> ExitStatus {
        closeInput()
        if !process.ends(within: closing) {
            process.terminate()
            if !process.ends(within: terminating) { process.end() }
        }
        let status = process.collect()
        if let reader = reader.withLock({ $0.take() }) { reader.join() }
        return status
    }
}
