/// How a process ended.
package enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)
    /// Another part of the program collected it first, or it cannot be ended.
    case unknown

    package var description: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signalled(let number): "signal \(number)"
        case .unknown: "exit status unknown"
        }
    }
}
