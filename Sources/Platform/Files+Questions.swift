internal import CSystem
internal import Glibc

extension Files {
    /// What the system knows of a file.
    package struct Status: Equatable, Sendable {
        /// The permission bits.
        package var mode: UInt32
        package var owner: UInt32
        package var size: Int64
        package var isDirectory: Bool
        package var isRegular: Bool
        /// Nanoseconds since 1970 of the last change of its content.
        package var modified: Int64

        package var isWorldWritable: Bool { mode & 0o002 != 0 }
        package var isExecutable: Bool { mode & 0o111 != 0 }
    }

    /// What the system knows of the file a path leads to.
    package static func status(_ path: String) throws(SystemError) -> Status {
        var info = stat()
        guard stat(path, &info) == 0 else { throw SystemError("read \(path)", code: errno) }
        return Status(
            mode: info.st_mode & 0o7777,
            owner: info.st_uid,
            size: Int64(info.st_size),
            isDirectory: info.st_mode & S_IFMT == S_IFDIR,
            isRegular: info.st_mode & S_IFMT == S_IFREG,
            modified: Int64(info.st_mtim.tv_sec) * 1_000_000_000 + Int64(info.st_mtim.tv_nsec))
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// True when this process may write there; false too where the file system is read-only.
    package static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// True when this process may run the file; false for a directory.
    package static func isExecutable(_ path: String) -> Bool {
        !isDirectory(path) && access(path, X_OK) == 0
    }

    package static func isDirectory(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// True for a terminal, false for a file or a pipe.
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The path with symbolic links followed; the file must exist.
    package static func realPath(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else {
            throw SystemError("find \(path)", code: errno)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The directory relative paths start from.
    package static func currentDirectory() throws(SystemError) -> String {
        guard let path = getcwd(nil, 0) else {
            throw SystemError("find the current directory", code: errno)
        }
        defer { free(path) }
        return String(cString: path)
    }

    /// The executable this process runs, links followed.
    package static func executable() throws(SystemError) -> String {
        try realPath("/proc/self/exe")
    }

    /// The names in a directory, without `.` and `..`, in byte order.
    package static func list(_ directory: String) throws(SystemError) -> [String] {
        guard let stream = opendir(directory) else {
            throw SystemError("list \(directory)", code: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = String(cString: satchel_entry_name(entry))
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw SystemError("list \(directory)", code: errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension Files {
    /// Makes a directory and those above it; one that exists is left as it is.
    ///
    /// `mode` is of each new directory.
    package static func makeDirectory(
        _ path: String, mode: UInt32 = 0o700
    ) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        let code = errno
        if code == EEXIST, isDirectory(path) { return }
        let parent = Path.parent(path)
        guard code == ENOENT, parent != path else {
            throw SystemError("make the directory \(path)", code: code)
        }
        try makeDirectory(parent, mode: mode)
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw SystemError("make the directory \(path)", code: errno)
        }
    }

    /// Removes a file or an empty directory; one that is not there is no error.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        let code = errno
        guard code == EISDIR || code == EPERM, rmdir(path) == 0 else {
            throw SystemError("remove \(path)", code: code == EISDIR ? errno : code)
        }
    }

    /// Removes a directory with everything in it; symbolic links are removed, not followed.
    package static func removeTree(_ path: String) throws(SystemError) {
        var info = stat()
        guard lstat(path, &info) == 0 else {
            if errno == ENOENT { return }
            throw SystemError("remove \(path)", code: errno)
        }
        if info.st_mode & S_IFMT == S_IFDIR {
            for name in try list(path) { try removeTree(Path.join(path, name)) }
        }
        try remove(path)
    }

    package static func rename(_ path: String, to newPath: String) throws(SystemError) {
        guard Glibc.rename(path, newPath) == 0 else {
            throw SystemError("rename \(path) to \(newPath)", code: errno)
        }
    }

    package static func setMode(_ path: String, _ mode: UInt32) throws(SystemError) {
        guard chmod(path, mode) == 0 else {
            throw SystemError("change the mode of \(path)", code: errno)
        }
    }

    /// Makes a fresh directory, 0700, below the system's place for temporary files.
    package static func makeTemporaryDirectory(
        prefix: String, in parent: String = "/tmp"
    ) throws(SystemError) -> String {
        let path = "\(parent)/\(prefix)-\(RandomBytes.hexadecimal(count: 8))"
        guard mkdir(path, 0o700) == 0 else {
            throw SystemError("make the directory \(path)", code: errno)
        }
        return path
    }
}
