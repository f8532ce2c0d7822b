internal import CSystem
internal import Glibc
internal import Platform

/// A new file of which every byte has reached the disk.
enum SyncedFile {
    /// Writes the file `name`, in place of one that a crash left there.
    ///
    /// - Parameters:
    ///   - name: Of the file.
    ///   - directory: Where it is.
    ///   - model: An open file whose permissions the new one gets, where that is allowed.
    ///   - fill: Writes the content.
    /// - Throws: What `fill` throws, and when not all of it reached the disk.
    static func write(
        _ name: String, in directory: Int32, modeOf model: Int32? = nil,
        _ fill: (ByteOutput) throws(SystemError) -> Void
    ) throws(SystemError) {
        // Whatever lies there is of a crash, or somebody else's: a link would lead elsewhere.
        _ = unlinkat(directory, name, 0)
        let number = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError("write \(name)", code: errno) }
        let file = Descriptor(taking: number)
        var info = stat()
        if let model, fstat(model, &info) == 0 { _ = fchmod(number, info.st_mode & 0o777) }
        let output = ByteOutput(file.number, name: name, capacity: 1 << 20)
        try fill(output)
        try output.flush()
        guard fdatasync(file.number) == 0 else { throw SystemError("write \(name)", code: errno) }
    }
}
