internal import CSystem
internal import Glibc
internal import Synchronization

/// A program to start: all it may see of this process.
package struct GuardedLaunch: Sendable {
    package var path: String
    package var arguments: [String]
    package var environment: [String: String]
    /// Where it runs; nil for the folder this process is in.
    package var directory: String?
    /// What leaves its group, such as an agent that serves later runs, may stay when it has ended.
    package var sparesDaemons: Bool

    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String],
        directory: String? = nil, sparesDaemons: Bool = false
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.sparesDaemons = sparesDaemons
    }
}

/// A program that runs under a guard: with it ends all that it started, and it ends with us.
///
/// The guard is a process of ours, the parent of the program and of what would otherwise be orphans
/// of it. It ends as the program did, after everything else has ended. When this process goes,
/// however it goes, the guard ends everything too.
package final class GuardedProcess: Sendable {
    private let guardian: pid_t
    /// Readable once the guard has ended.
    private let death: Descriptor
    /// The guard ends everything when this is closed.
    private let lifeline: Mutex<Descriptor?>
    private let collected = Mutex<ExitStatus?>(nil)

    /// Starts the program as the leader of its own group.
    ///
    /// - Parameters:
    ///   - launch: The program; the path is absolute.
    ///   - input: Its standard input, 3 or higher, as the other two are; they stay the caller's.
    ///   - output: Its standard output.
    ///   - errors: Its standard error.
    /// - Throws: The system's reason why it cannot be started.
    package init(_ launch: GuardedLaunch, input: Int32, output: Int32, errors: Int32)
        throws(SystemError)
    {
        let pipe = try Pipe.make()
        let arguments = CStrings([launch.path] + launch.arguments)
        let environment = CStrings(launch.environment.map { "\($0.key)=\($0.value)" }.sorted())
        let path = CStrings([launch.path] + (launch.directory.map { [$0] } ?? []))
        var started = satchel_launch()
        started.program = path.text(0)
        started.directory = launch.directory == nil ? nil : path.text(1)
        started.arguments = arguments.vector
        started.environment = environment.vector
        (started.input, started.output, started.errors) = (input, output, errors)
        started.spares_daemons = launch.sparesDaemons ? 1 : 0
        var guardian = pid_t()
        let code = satchel_spawn_guarded(&guardian, &started, pipe.reading.number)
        guard code == 0 else { throw SystemError("start \(launch.path)", code: code) }
        let writing = pipe.closeReading()
        let number = satchel_pidfd_open(guardian)
        guard number >= 0 else {
            let code = errno
            _ = consume writing
            while waitpid(guardian, nil, 0) < 0, errno == EINTR {}
            throw SystemError("watch \(launch.path)", code: code)
        }
        self.guardian = guardian
        death = Descriptor(taking: number)
        lifeline = Mutex(writing)
    }

    deinit { _ = collect() }

    /// Readable once the program and what it started have ended.
    package var descriptor: Int32 { death.number }

    /// Asks the program and its group to end (SIGTERM).
    package func terminate() {
        collected.withLock { status in if status == nil { kill(guardian, SIGTERM) } }
    }

    /// Ends the program and all that it started; `descriptor` tells when it is done.
    package func end() { lifeline.withLock { $0 = nil } }

    /// True when everything had ended within the time.
    package func ends(within milliseconds: Int64) -> Bool {
        let deadline = Clock.system.monotonic() + milliseconds
        while true {
            let left = deadline - Clock.system.monotonic()
            if !Poll.wait(reading: [descriptor], milliseconds: max(left, 0)).isEmpty { return true }
            if left <= 0 { return false }
        }
    }

    /// Ends what still runs, waits until it has, and tells how the program ended.
    package func collect() -> ExitStatus {
        collected.withLock { collected in
            if let collected { return collected }
            end()
            // The guard needs no more than two seconds, unless the program has stopped it.
            if !ends(within: Self.patience) { kill(guardian, SIGKILL) }
            var raw: Int32 = 0
            var result = waitpid(guardian, &raw, 0)
            while result < 0, errno == EINTR { result = waitpid(guardian, &raw, 0) }
            let status = result == guardian ? ExitStatus(raw: raw) : .unknown
            collected = status
            return status
        }
    }

    private static let patience: Int64 = 10_000
}
