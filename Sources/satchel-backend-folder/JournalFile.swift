internal import CSystem
internal import Glibc
internal import Platform

/// The file of the journals whose changes may not have reached the disk yet.
///
/// A process that finds the file as it left it knows that every change in it was made. One that
/// finds it otherwise looks at each.
final class JournalFile {
    private let directory: Int32
    /// The file's size and last line when this process wrote to it last.
    private var left: Mark?

    private static let name = "journal"

    private struct Mark: Equatable {
        var size: Int64
        var seal: [UInt8]
    }

    /// - Parameter directory: `.satchel-folder`, open as long as this object is used.
    init(in directory: Int32) { self.directory = directory }

    /// Bytes in the file; 0 when there is nothing to settle.
    var size: Int64 {
        var info = stat()
        return fstatat(directory, Self.name, &info, 0) == 0 ? Int64(info.st_size) : 0
    }

    /// True when nobody else has written to the file or emptied it since this process did.
    func isAsLeft() throws(SystemError) -> Bool {
        guard let left, let file = try open(O_RDONLY) else { return false }
        return try mark(of: file.number) == left
    }

    /// Has the next to look take the file for one whose changes are not all made.
    func distrust() { left = nil }

    /// Adds a journal so that it survives a power cut; the changes may then be made.
    ///
    /// The caller holds the lock, and knows that the file is empty or as it left it.
    func append(_ journal: Journal) throws(SystemError) {
        let before = size
        let bytes = journal.encoded
        guard let file = try open(O_WRONLY | O_APPEND | O_CREAT) else { return }
        do throws(SystemError) {
            let output = ByteOutput(file.number, name: "the folder's journal")
            try output.write(bytes)
            try output.flush()
            guard fdatasync(file.number) == 0 else {
                throw SystemError("write the folder's journal", code: errno)
            }
        } catch {
            // Half a journal would hide those that follow it.
            _ = ftruncate(file.number, off_t(before))
            left = nil
            throw error
        }
        left = Mark(
            size: before + Int64(bytes.count), seal: Array(bytes.suffix(Journal.sealCount)))
    }

    /// The whole journals in the file.
    func read() throws(SystemError) -> [Journal] {
        guard let file = try open(O_RDONLY) else { return [] }
        return Journal.all(in: try Files.readAll(file.number))
    }

    /// Forgets the journals: their changes are on the disk, or were never decided.
    func clear() throws(SystemError) {
        left = nil
        _ = try open(O_WRONLY | O_TRUNC)
    }

    private func open(_ flags: Int32) throws(SystemError) -> Descriptor? {
        let number = openat(
            directory, Self.name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
        if number >= 0 { return Descriptor(taking: number) }
        if errno == ENOENT { return nil }
        throw SystemError("open the folder's journal", code: errno)
    }

    private func mark(of file: Int32) throws(SystemError) -> Mark {
        var info = stat()
        guard fstat(file, &info) == 0 else {
            throw SystemError("read the folder's journal", code: errno)
        }
        let start = max(0, Int64(info.st_size) - Int64(Journal.sealCount))
        guard lseek(file, off_t(start), SEEK_SET) >= 0 else {
            throw SystemError("read the folder's journal", code: errno)
        }
        return Mark(size: Int64(info.st_size), seal: try Files.readAll(file))
    }
}
