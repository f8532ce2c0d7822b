internal import CSystem
internal import Glibc
internal import Platform

/// Whole small files in three calls each.
///
/// Others may write to the folder: a pipe in the place of a file is not waited for, and nothing is
/// written through a link that leads elsewhere.
enum SmallFile {
    /// Reads up to `room` bytes of a file, and nothing of a pipe or a directory.
    ///
    /// - Returns: The count of bytes, or a negative errno value.
    static func read(
        _ name: UnsafePointer<CChar>, in directory: Int32, into buffer: UnsafeMutableRawPointer,
        room: Int
    ) -> Int {
        let file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return -Int(errno) }
        let count = Glibc.read(file, buffer, room)
        let result = count < 0 ? -Int(errno) : count
        close(file)
        return result
    }

    /// Fills a new or emptied file.
    ///
    /// - Throws: When it cannot be written whole.
    static func write(
        _ name: String, in directory: Int32, _ bytes: [UInt8]
    ) throws(SystemError) {
        var number = create(name, in: directory)
        // A link or a pipe that somebody put there is no file of ours.
        if number < 0, errno == ELOOP || errno == ENXIO, unlinkat(directory, name, 0) == 0 {
            number = create(name, in: directory)
        }
        guard number >= 0 else { throw SystemError("write \(name)", code: errno) }
        let file = Descriptor(taking: number)
        let code = bytes.withUnsafeBytes { buffer -> Int32 in
            var rest = buffer[...]
            while !rest.isEmpty {
                let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                let wrote = Glibc.write(file.number, start, rest.count)
                if wrote >= 0 {
                    rest = rest.dropFirst(wrote)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard code == 0 else { throw SystemError("write \(name)", code: code) }
    }

    private static func create(_ name: String, in directory: Int32) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return openat(directory, name, flags, 0o666)
    }
}
