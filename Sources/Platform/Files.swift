internal import CSystem
internal import Glibc

/// Reading, replacing and asking about files, each failure with the file's name in it.
package enum Files {
    /// The whole content of a file.
    ///
    /// `regularOnly` refuses pipes and devices, which may have no end.
    ///
    /// - Throws: Kind `.tooLarge` when it holds more than `limit` bytes.
    package static func read(
        _ path: String, limit: Int = 1 << 30, regularOnly: Bool = false
    ) throws(SystemError) -> [UInt8] {
        // Opening a pipe without a writer would wait for one.
        let number = open(path, O_RDONLY | O_CLOEXEC | (regularOnly ? O_NONBLOCK : 0))
        guard number >= 0 else { throw SystemError("read \(path)", code: errno) }
        let file = Descriptor(taking: number)
        if regularOnly {
            var info = stat()
            guard fstat(file.number, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
                throw SystemError(
                    code: EINVAL, message: "cannot read \(path): it is no regular file")
            }
        }
        do throws(SystemError) {
            return try readAll(file.number, limit: limit)
        } catch {
            if error.code == EFBIG {
                throw SystemError(
                    code: EFBIG, message: "cannot read \(path): it is larger than \(limit) bytes")
            }
            throw SystemError("read \(path)", code: error.code)
        }
    }

    /// Everything up to the end of an open descriptor.
    package static func readAll(
        _ descriptor: Int32, limit: Int = 1 << 30
    ) throws(SystemError) -> [UInt8] {
        var info = stat()
        let known = fstat(descriptor, &info) == 0 ? Int(info.st_size) : 0
        guard known <= limit else { throw SystemError("read", code: EFBIG) }
        var bytes: [UInt8] = []
        var room = max(known + 1, 4096)
        while true {
            var code: Int32 = 0
            var got = 0
            bytes.append(addingCapacity: room) { span in
                span.withUnsafeMutableBufferPointer { buffer, count in
                    got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    if got > 0 { count = got } else if got < 0 { code = errno }
                }
            }
            if code == EINTR { continue }
            if code == EAGAIN {
                _ = Poll.wait(reading: [descriptor], milliseconds: -1)
                continue
            }
            guard code == 0 else { throw SystemError("read", code: code) }
            if got == 0 { return bytes }
            guard bytes.count <= limit else { throw SystemError("read", code: EFBIG) }
            if got == room { room = max(bytes.count, 4096) } else { room -= got }
        }
    }

    /// Replaces a file whole: a reader, or a crash, sees the old content or the new.
    ///
    /// A symbolic link is followed, so that the file it names is the one replaced. With `durable`
    /// it returns only when the new content would survive a power cut.
    package static func replace(
        _ path: String, with bytes: [UInt8], mode: UInt32 = 0o600, durable: Bool = true
    ) throws(SystemError) {
        let target = followingLinks(path)
        let suffix = RandomBytes.hexadecimal(count: 6)
        let temporary = Path.join(Path.parent(target), ".\(Path.name(target)).\(suffix).tmp")
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("write \(path)", code: errno) }
        var code: Int32 = 0
        do {
            let file = Descriptor(taking: number)
            code = writeAll(file.number, bytes)
            // open's mode passes through the umask; the caller's mode is meant exactly.
            if code == 0, fchmod(file.number, mode) != 0 { code = errno }
            if code == 0, durable, fsync(file.number) != 0 { code = errno }
        }
        if code == 0, Glibc.rename(temporary, target) != 0 { code = errno }
        guard code == 0 else {
            _ = unlink(temporary)
            throw SystemError("write \(path)", code: code)
        }
        if durable { try synchronise(Path.parent(target)) }
    }

    /// Appends bytes to a file, making it if there is none.
    package static func append(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, durable: Bool = false
    ) throws(SystemError) {
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("write \(path)", code: errno) }
        let file = Descriptor(taking: number)
        var code = writeAll(file.number, bytes)
        if code == 0, durable, fsync(file.number) != 0 { code = errno }
        guard code == 0 else { throw SystemError("write \(path)", code: code) }
    }

    /// Makes the names in a directory (after a rename or a removal) survive a power cut.
    package static func synchronise(_ directory: String) throws(SystemError) {
        let number = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("write to \(directory)", code: errno) }
        let handle = Descriptor(taking: number)
        // Some network file systems cannot synchronise a directory and say EINVAL.
        guard fsync(handle.number) == 0 || errno == EINVAL else {
            throw SystemError("write to \(directory)", code: errno)
        }
    }

    /// Where a path leads; itself when nothing is there yet.
    private static func followingLinks(_ path: String) -> String {
        do throws(SystemError) { return try realPath(path) } catch { return path }
    }

    /// Writes everything, whatever the system takes at a time; returns an errno value or 0.
    private static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let wrote = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if wrote >= 0 {
                    rest = rest.dropFirst(wrote)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}
