internal import CSystem
internal import Glibc

/// An advisory lock on a lock file, held until the value goes away or the process ends.
package struct FileLock: ~Copyable {
    package enum Mode: Sendable { case exclusive, shared }

    private let file: Descriptor

    private init(_ file: consuming Descriptor) { self.file = file }

    /// Takes the lock, waiting for whoever holds it.
    ///
    /// The lock file is made if there is none and never removed. Shared locks exclude only exclusive
    /// ones. Throws kind `.timedOut` when another process held it all the time, `.interrupted` when
    /// `interrupt` was raised meanwhile.
    package static func acquire(
        _ path: String, _ mode: Mode = .exclusive, within milliseconds: Int64,
        interrupt: Interrupt? = nil
    ) throws(SystemError) -> FileLock {
        let file = try lockFile(path)
        let deadline = Clock.system.monotonic() + milliseconds
        // flock has no deadline of its own, so it is asked again, ever less often.
        var pause: Int64 = 1
        while try !lock(file.number, path, mode) {
            let left = deadline - Clock.system.monotonic()
            guard left > 0 else {
                throw SystemError(
                    code: ETIMEDOUT,
                    message: "cannot lock \(path): another process held it for \(milliseconds) ms")
            }
            let waking = interrupt.map { [$0.descriptor] } ?? []
            _ = Poll.wait(reading: waking, milliseconds: min(pause, left))
            if interrupt?.isRaised ?? false {
                throw SystemError(code: EINTR, message: "interrupted")
            }
            pause = min(pause * 2, 25)
        }
        return FileLock(file)
    }

    /// Takes the lock if nobody holds it; nil when somebody does.
    package static func attempt(
        _ path: String, _ mode: Mode = .exclusive
    ) throws(SystemError) -> FileLock? {
        let file = try lockFile(path)
        return try lock(file.number, path, mode) ? FileLock(file) : nil
    }

    private static func lockFile(_ path: String) throws(SystemError) -> Descriptor {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError("lock \(path)", code: errno) }
        return Descriptor(taking: number)
    }

    private static func lock(
        _ number: Int32, _ path: String, _ mode: Mode
    ) throws(SystemError) -> Bool {
        let operation = mode == .exclusive ? LOCK_EX : LOCK_SH
        while flock(number, operation | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            default: throw SystemError("lock \(path)", code: errno)
            }
        }
        return true
    }
}
