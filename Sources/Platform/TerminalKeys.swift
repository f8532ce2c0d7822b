internal import CSystem
internal import Glibc

/// The keys of a terminal as they are pressed, without echo and without waiting for Enter.
///
/// There is one such terminal in a process. Whoever takes the keys gives them back; a signal that ends
/// the process at once gives them back too.
package enum TerminalKeys {
    package enum Pressed: Equatable, Sendable {
        /// One or more keys as the terminal sends them.
        case keys([UInt8])
        /// Nobody will press any key: the terminal is gone.
        case end
    }

    /// Of its own address, for the handler of a signal that ends the process.
    static nonisolated(unsafe) let kept: UnsafeMutablePointer<satchel_keys> = {
        let keys = UnsafeMutablePointer<satchel_keys>.allocate(capacity: 1)
        keys.initialize(to: satchel_keys())
        return keys
    }()

    /// Takes the keys, also where another program set the terminal back meanwhile.
    ///
    /// Ctrl-C stays a signal, Ctrl-Z and Ctrl-D become keys.
    ///
    /// - Returns: False while the process is in the background: the keys are another's, and to read
    ///   them would stop the process.
    package static func take(_ descriptor: Int32) -> Bool {
        satchel_keys_take(kept, descriptor) != 0
    }

    /// Leaves the terminal as it was before `take`; nothing when it was not taken.
    package static func giveBack() { satchel_keys_give_back(kept) }

    /// What was pressed; waits for it.
    package static func pressed(_ descriptor: Int32) -> Pressed {
        var bytes = [UInt8](repeating: 0, count: 64)
        let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        if got > 0 { return .keys(Array(bytes.prefix(got))) }
        return got < 0 && (errno == EINTR || errno == EAGAIN) ? .keys([]) : .end
    }

    /// Stops the job as Ctrl-Z does, the terminal given back; returns when it continues.
    package static func suspend() {
        giveBack()
        kill(0, SIGTSTP)
    }
}
