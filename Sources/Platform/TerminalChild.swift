internal import CSystem
internal import Glibc

/// A program that shares our terminal and reads what we write, such as a pager.
///
/// It stays in our process group, so that the terminal is its own as well: its keys and Ctrl-C work.
package struct TerminalChild: ~Copyable {
    private let process: pid_t
    private let writing: Descriptor

    /// Starts a command line by the shell of the system.
    package static func start(
        shell command: String, environment: Environment
    ) throws(SystemError) -> TerminalChild {
        let pipe = try Pipe.make()
        var process = pid_t()
        let words = CStrings(["sh", "-c", command])
        let variables = CStrings(environment.variables.map { "\($0.key)=\($0.value)" })
        let code = satchel_spawn_on_terminal(
            &process, "/bin/sh", words.pointers, variables.pointers, pipe.reading.number)
        guard code == 0 else { throw SystemError("start \(command)", code: code) }
        return TerminalChild(process: process, writing: pipe.closeReading())
    }

    private init(process: pid_t, writing: consuming Descriptor) {
        self.process = process
        self.writing = writing
    }

    /// Where to write what it reads; closed by `finish`.
    package var input: Int32 { writing.number }

    /// Ends its input and waits until it ends; its exit code, or 128 and the signal that ended it.
    package consuming func finish() -> Int32 {
        let process = process
        _ = consume self
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return 0 }
        }
        if satchel_exited(status) != 0 { return satchel_exit_code(status) }
        return 128 + satchel_signal_number(status)
    }
}
