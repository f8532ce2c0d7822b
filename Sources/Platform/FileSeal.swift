internal import CSystem
internal import Glibc

/// A file as it was when its content was looked at.
///
/// Content and identity are of one open file. Whoever starts the file later asks `holds` right
/// before: a script has to be started by its path, so what lies there must still be that file.
package struct FileSeal: Sendable, Equatable {
    /// SHA-256 of the content, in lower-case hexadecimal digits.
    package let hash: String
    private let identity: Identity

    /// What changes with each write to a file, and with each file put in its place.
    private struct Identity: Sendable, Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var modified: [Int]
        /// The system sets this one; nobody can set it back.
        var changed: [Int]

        init(_ info: stat) {
            device = UInt64(info.st_dev)
            inode = UInt64(info.st_ino)
            size = Int64(info.st_size)
            modified = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
            changed = [info.st_ctim.tv_sec, info.st_ctim.tv_nsec]
        }
    }

    /// Reads a regular file.
    ///
    /// - Throws: When it cannot be read, is larger than `limit` bytes, or changes meanwhile.
    package static func take(_ path: String, limit: Int = 256 << 20) throws(SystemError) -> FileSeal
    {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw SystemError("read \(path)", code: errno) }
        let file = Descriptor(taking: number)
        var before = stat()
        guard fstat(file.number, &before) == 0, before.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(
                code: EINVAL, message: "cannot read \(path): it is no regular file")
        }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try Files.readAll(file.number, limit: limit) } catch {
            throw SystemError("read \(path)", code: error.code)
        }
        let hash = try ContentHash.sha256(bytes)
        var after = stat()
        guard fstat(file.number, &after) == 0, Identity(after) == Identity(before) else {
            throw SystemError(code: EBUSY, message: "\(path) changed while it was read")
        }
        return FileSeal(hash: hash, identity: Identity(after))
    }

    /// True while the path leads to that very file, unchanged.
    package func holds(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && Identity(info) == identity
    }
}
