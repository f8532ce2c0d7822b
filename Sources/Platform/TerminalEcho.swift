internal import CSystem
internal import Glibc

/// Whether a terminal shows what is typed.
package enum TerminalEcho {
    /// Runs `body` while what is typed stays hidden; on anything but a terminal just runs it.
    package static func hidden<T, Failure: Error>(
        _ descriptor: Int32, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return try body() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        // What was typed ahead or pasted stays to be read.
        tcsetattr(descriptor, TCSADRAIN, &silent)
        defer { tcsetattr(descriptor, TCSADRAIN, &before) }
        return try body()
    }
}
