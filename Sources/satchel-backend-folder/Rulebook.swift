internal import CSystem
internal import Glibc
internal import Platform
internal import PluginKit

/// The folder's rules, read again whenever their file has changed.
struct Rulebook {
    static let file = "rules.json"

    private var rules = Rules()
    private var seen: Stamp?

    /// What tells one state of a file from another.
    private struct Stamp: Equatable {
        var inode: UInt
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    /// The rules as they are now; none when there is no file.
    ///
    /// - Throws: Kind `.retryable` when the file is broken: writes wait for its owner to mend it.
    mutating func rules(of folder: Folder) throws(PluginError) -> Rules {
        let name = Path.join(folder.path, Self.file)
        var info = stat()
        guard fstatat(folder.root.number, Self.file, &info, 0) == 0 else {
            guard errno == ENOENT else {
                throw PluginError(writing: folder.path, SystemError("read \(name)", code: errno))
            }
            seen = nil
            rules = Rules()
            return rules
        }
        let stamp = Stamp(
            inode: UInt(info.st_ino), size: Int64(info.st_size), seconds: info.st_mtim.tv_sec,
            nanoseconds: info.st_mtim.tv_nsec)
        if stamp == seen { return rules }
        let bytes = try PluginError.writing(folder.path) { () throws(SystemError) in
            try Files.read(name, limit: 16 << 20, regularOnly: true)
        }
        do throws(Rules.Broken) {
            rules = try Rules(bytes)
        } catch {
            throw PluginError(
                .retryable, "cannot follow \(name): \(error.message)", hint: "mend the file")
        }
        seen = stamp
        return rules
    }
}
