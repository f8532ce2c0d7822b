internal import CSystem
internal import Glibc
internal import Platform
internal import PluginKit

extension Folder {
    /// Opens the folder at `path`, making it when the store never synced with it.
    ///
    /// The last component is made when it is missing; a missing parent looks like a drive that is
    /// not mounted. With the identity of a data set that the store knows nothing is made: an empty
    /// mount point must not pass for a new folder.
    static func open(_ path: String, knownIdentity: String?) throws(PluginError) -> Folder {
        let mayMake = knownIdentity == nil
        let root = try openRoot(path, mayMake: mayMake)
        let workshop = try openWorkshop(in: root.number, at: path)
        if try readMarker(in: root.number, at: path) == nil {
            guard mayMake else {
                throw PluginError(
                    .retryable, "\(path) holds no \(FolderMarker.file)",
                    hint: "is the drive mounted?")
            }
            try makeMarker(at: path)
        }
        guard let marker = try readMarker(in: root.number, at: path) else {
            throw PluginError(.retryable, "\(path) holds no \(FolderMarker.file)")
        }
        do throws(SystemError) {
            return try Folder(path: path, root: root, workshop: workshop, marker: marker)
        } catch {
            throw PluginError(reaching: path, error)
        }
    }

    private static func openRoot(
        _ path: String, mayMake: Bool
    ) throws(PluginError) -> Descriptor {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number >= 0 { return Descriptor(taking: number) }
        let code = errno
        guard code == ENOENT, mayMake, Files.isDirectory(Path.parent(path)) else {
            throw PluginError(reaching: path, SystemError("open \(path)", code: code))
        }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            let error = SystemError("make the directory \(path)", code: errno)
            throw PluginError(reaching: path, error)
        }
        return try openRoot(path, mayMake: false)
    }

    /// Opens `.satchel-folder`, making it where that is possible: others can still read.
    private static func openWorkshop(
        in root: Int32, at path: String
    ) throws(PluginError) -> Workshop? {
        if mkdirat(root, workshopName, 0o777) != 0, errno != EEXIST {
            guard errno != EROFS, errno != EACCES else { return nil }
            throw PluginError(reaching: path, SystemError("write to \(path)", code: errno))
        }
        let number = openat(
            root, workshopName, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else {
            throw PluginError(
                reaching: path, SystemError("open \(path)/\(workshopName)", code: errno))
        }
        let workshop = Workshop(Descriptor(taking: number))
        // FileLock makes its file for one user; people who share a drive share the lock.
        let lock = openat(number, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        if lock >= 0 { close(lock) }
        return workshop
    }

    private static func readMarker(
        in root: Int32, at path: String
    ) throws(PluginError) -> FolderMarker? {
        let number = openat(root, FolderMarker.file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let name = Path.join(path, FolderMarker.file)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw PluginError(reaching: path, SystemError("read \(name)", code: errno))
        }
        let file = Descriptor(taking: number)
        let bytes = try PluginError.reaching(path) { () throws(SystemError) in
            try Files.readAll(file.number, limit: 1 << 20)
        }
        do throws(FolderMarker.Broken) {
            return try FolderMarker(bytes)
        } catch {
            throw PluginError(
                .permanent, "cannot use \(name): \(error.message)",
                hint: "put the file back from a copy, or choose another folder")
        }
    }

    /// Makes `satchel-folder.json`, unless another process was quicker.
    private static func makeMarker(at path: String) throws(PluginError) {
        try PluginError.reaching(path) { () throws(SystemError) in
            let lock = try FileLock.acquire(
                Path.join(path, "\(workshopName)/lock"), within: 10_000)
            let name = Path.join(path, FolderMarker.file)
            guard !Files.exists(name) else { return }
            // The probe is a file that is there for certain.
            let folded = Path.join(path, workshopName.uppercased())
            let marker = FolderMarker.new(foldsCase: Files.exists(folded))
            try Files.replace(name, with: marker.content, mode: 0o644)
            _ = consume lock
        }
    }
}
