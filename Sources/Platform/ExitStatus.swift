internal import CSystem

/// How a process ended.
package enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)
    /// Another part of the program collected it first.
    case unknown

    /// Reads what `waitpid` gave.
    init(raw: Int32) {
        self =
            satchel_exited(raw) != 0
            ? .exited(satchel_exit_code(raw)) : .signalled(satchel_signal_number(raw))
    }

    /// The exit code; 128 and the signal where a signal ended it, as shells count; 255 where it is
    /// not known, which is no success.
    package var code: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let number): 128 + number
        case .unknown: 255
        }
    }

    package var description: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signalled(let number): "signal \(number)"
        case .unknown: "exit status unknown"
        }
    }
}
