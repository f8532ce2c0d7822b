/// A system call that failed: what was tried, on which thing, and the system's reason.
package struct SystemError: Error, Equatable, Sendable {
    /// The errno value, for callers that branch on it (ENOENT, EACCES, ENOSPC, EPIPE).
    package var code: Int32
    /// Such as "cannot read notes.csv: No such file or directory".
    package var message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }
}
