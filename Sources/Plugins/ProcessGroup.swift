internal import CSystem
internal import Glibc
internal import Platform
internal import Synchronization

/// A child process and the group it leads.
///
/// The group is signalled only while the leader is not yet collected: until then its number cannot
/// come to mean other processes.
final class ProcessGroup: Sendable {
    let leader: Int32
    /// Readable once the leader has ended.
    private let death: Descriptor
    private let collected = Mutex<ExitStatus?>(nil)

    init(leader: Int32) throws(SystemError) {
        self.leader = leader
        let number = satchel_pidfd_open(leader)
        guard number >= 0 else {
            let code = errno
            kill(-leader, SIGKILL)
            waitpid(leader, nil, 0)
            throw SystemError("watch process \(leader)", code: code)
        }
        death = Descriptor(taking: number)
    }

    var descriptor: Int32 { death.number }

    /// Nil while the leader runs or nobody has collected it.
    var status: ExitStatus? { collected.withLock { $0 } }

    func signal(_ number: Int32) {
        collected.withLock { status in if status == nil { kill(-leader, number) } }
    }

    /// True when the leader ended within the time.
    func ends(within milliseconds: Int64) -> Bool {
        let deadline = Clock.system.monotonic() + milliseconds
        while true {
            let left = deadline - Clock.system.monotonic()
            if !Poll.wait(reading: [descriptor], milliseconds: max(left, 0)).isEmpty { return true }
            if left <= 0 { return false }
        }
    }

    /// Ends what is left of the group and collects the leader, which must have ended.
    func collect() -> ExitStatus {
        collected.withLock { collected in
            if let collected { return collected }
            kill(-leader, SIGKILL)
            var raw: Int32 = 0
            var result = waitpid(leader, &raw, 0)
            while result < 0, errno == EINTR { result = waitpid(leader, &raw, 0) }
            let status: ExitStatus =
                if result != leader {
                    .unknown
                } else if satchel_exited(raw) != 0 {
                    .exited(satchel_exit_code(raw))
                } else {
                    .signalled(satchel_signal_number(raw))
                }
            collected = status
            return status
        }
    }
}
