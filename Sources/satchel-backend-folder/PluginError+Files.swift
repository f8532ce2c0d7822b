internal import Glibc
internal import Platform
internal import PluginKit

extension PluginError {
    /// A folder that cannot be opened or read.
    ///
    /// What a cable, a mount or a free disk block can mend is worth another try; what only a
    /// person can mend in the configuration or the permissions is not.
    init(reaching path: String, _ error: SystemError) {
        switch error.code {
        case EACCES, EPERM:
            self.init(
                .permanent, error.message, hint: "give yourself the right to read and write \(path)"
            )
        case ENOTDIR, EEXIST:
            self.init(
                .permanent, "cannot use \(path): it is not a directory",
                hint: "set config.path to a directory")
        case EROFS:
            self.init(.permanent, error.message, hint: "choose a folder that can be written to")
        case ENOSPC, EDQUOT:
            self.init(
                .retryable, error.message, hint: "free some space on the drive of \(path)")
        case ENOENT:
            self.init(
                .retryable, "cannot reach the folder \(path): it is not there",
                hint: "mount the drive, or make the directory")
        default:
            self.init(.retryable, error.message)
        }
    }

    /// A write that failed: the operations are kept and tried again, for nothing is wrong with them.
    init(writing path: String, _ error: SystemError) {
        switch error.kind {
        case .permission where error.code == EROFS:
            self.init(.retryable, error.message, hint: "the drive of \(path) is mounted read-only")
        case .timedOut:
            self.init(
                .retryable, "cannot write to \(path): another process is writing all the time")
        case .noSpace:
            self.init(.retryable, error.message, hint: "free some space on the drive of \(path)")
        case .permission:
            self.init(
                .retryable, error.message, hint: "give yourself the right to write to \(path)")
        default:
            self.init(.retryable, error.message)
        }
    }

    /// Runs `body`; a failure in it is one of reaching `path`.
    static func reaching<Value: ~Copyable>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(PluginError) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw PluginError(reaching: path, error)
        }
    }

    /// Runs `body`; a failure in it is one of writing to `path`.
    static func writing<Value: ~Copyable>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(PluginError) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw PluginError(writing: path, error)
        }
    }
}
