internal import Glibc

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

    /// Builds the message from an attempt such as "read notes.csv" and the system's words for `code`.
    package init(_ attempt: String, code: Int32) {
        self.init(code: code, message: "cannot \(attempt): \(Self.words(for: code))")
    }
}

extension SystemError {
    /// What callers branch on.
    package enum Kind: Equatable, Sendable {
        /// The reader of a pipe went away: end quietly.
        case closedPipe
        case noSpace, notFound, exists, permission, timedOut, tooLarge, interrupted, other
    }

    package var kind: Kind {
        switch code {
        case EPIPE: .closedPipe
        case ENOSPC, EDQUOT: .noSpace
        case ENOENT, ENOTDIR: .notFound
        case EEXIST: .exists
        case EACCES, EPERM, EROFS: .permission
        case ETIMEDOUT: .timedOut
        case EFBIG, EMSGSIZE: .tooLarge
        case EINTR, ECANCELED: .interrupted
        default: .other
        }
    }

    /// The system's words for an errno value.
    package static func words(for code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, 256) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }
}
