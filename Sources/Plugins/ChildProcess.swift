internal import CSystem
internal import Glibc
internal import Platform
internal import Synchronization

/// A running program: its input, its group, and the thread that reads what it says.
final class ChildProcess: Sendable {
    enum Writing { case done, closed, late, interrupted }

    let group: ProcessGroup
    private let input: Mutex<Descriptor?>
    private let reader = Mutex<Worker?>(nil)

    private init(group: ProcessGroup, input: consuming Descriptor) {
        self.group = group
        self.input = Mutex(input)
    }

    deinit {
        group.signal(SIGKILL)
        // The reader sees the end, collects the process and closes the pipes.
        if let reader = reader.withLock({ $0.take() }) {
            reader.join()
        } else if group.ends(within: 2_000) {
            _ = group.collect()
        }
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
        let leader = try spawn(
            program, input: input.reading.number, output: output.writing.number,
            errors: errors.writing.number)
        let group = try ProcessGroup(leader: leader)
        let writing = input.closeReading()
        writing.setNonBlocking()
        let process = ChildProcess(group: group, input: writing)
        let reader = OutputReader(
            output: output.closeWriting(), errors: errors.closeWriting(), group: group, sink: sink)
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
                    let waking = [group.descriptor] + (interrupt.map { [$0.descriptor] } ?? [])
                    let ready = Poll.wait(reading: waking, writing: [number], milliseconds: left)
                    if ready.contains(group.descriptor) { return .closed }
                } else if errno != EINTR {
                    return .closed
                }
            }
            return .done
        }
    }

    func closeInput() { input.withLock { $0 = nil } }

    /// Ends the process: end of input, SIGTERM to the group, SIGKILL.
    ///
    /// When it returns the process is collected, its group killed and every pipe closed.
    func stop(closing: Int64, terminating: Int64) -> ExitStatus {
        closeInput()
        if !group.ends(within: closing) {
            group.signal(SIGTERM)
            if !group.ends(within: terminating) {
                group.signal(SIGKILL)
                // Only a process stuck inside the kernel outlives this; nothing can end that one.
                guard group.ends(within: 2_000) else {
                    if let reader = reader.withLock({ $0.take() }) { reader.detach() }
                    return .unknown
                }
            }
        }
        if let reader = reader.withLock({ $0.take() }) { reader.join() }
        return group.collect()
    }
}

extension ChildProcess {
    private static func spawn(
        _ program: Program, input: Int32, output: Int32, errors: Int32
    ) throws(SystemError) -> Int32 {
        if let seal = program.seal, !seal.holds(program.path) {
            throw SystemError(
                code: EPERM, message: "\(program.path) changed since it was looked at")
        }
        let arguments = CStrings([program.path] + program.arguments)
        let environment = CStrings(
            program.environment.map { "\($0.key)=\($0.value)" }.sorted())
        var leader: Int32 = 0
        let code = satchel_spawn(
            &leader, program.path, arguments.pointers, environment.pointers, program.directory,
            input, output, errors)
        guard code == 0 else { throw SystemError("start \(program.path)", code: code) }
        return leader
    }
}

/// A list of C strings that ends in a null pointer.
private struct CStrings: ~Copyable {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() {
            pointers.advanced(by: index).initialize(to: strdup(text))
        }
        pointers.advanced(by: count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
