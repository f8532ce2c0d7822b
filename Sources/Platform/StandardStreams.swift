internal import Glibc

/// The three streams that a program begins with.
package enum StandardStreams {
    /// Fills the places of those that were closed, so that no file which is opened later is taken
    /// for one of them.
    ///
    /// What stands there lets nothing through: input cannot be read, output cannot be written, and
    /// what is written to the stream of errors is lost.
    ///
    /// - Returns: The numbers of those that were closed.
    package static func fill() -> [Int32] {
        var closed: [Int32] = []
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            closed.append(number)
            // The lowest free number is given, which is this one.
            _ = open("/dev/null", number == 1 ? O_RDONLY : O_WRONLY)
        }
        return closed
    }
}
