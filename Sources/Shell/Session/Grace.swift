internal import Glibc
internal import Platform

/// How long a command that was told to end may take.
///
/// Whatever it waits for, a pipe without a writer, a query, a deaf plugin: after this it is over.
/// What was committed is kept and a transaction under way is as if it had not begun.
enum Grace {
    static let milliseconds: Int64 = 6_000

    /// Called on the signals' thread, with how many there were.
    static func begin(_ signal: Int32, _ count: Int) {
        let code: Int32 = signal == SIGINT ? ExitCode.interrupted.rawValue : 128 + signal
        // Asked twice is meant.
        if count > 1 { _exit(code) }
        do throws(SystemError) {
            try Worker.start {
                _ = Poll.wait(reading: [], milliseconds: milliseconds)
                _exit(code)
            }.detach()
        } catch {
            _exit(code)
        }
    }
}
