internal import CSystem
internal import Glibc
internal import Platform
internal import PluginKit

/// An open folder of records.
///
/// Beside the records it keeps `.satchel-folder/`: the lock, the journal of a push under way, and
/// new files before they take their place.
final class Folder {
    let path: String
    let marker: FolderMarker
    let log: ChangeLog
    /// The folder itself.
    let root: Descriptor
    /// `.satchel-folder`; nil in a folder that cannot be written to and never was.
    let workshop: Workshop?
    private let place: DeviceAndInode
    private var models: [String: ModelDirectory] = [:]

    static let workshopName = ".satchel-folder"
    private static let lockWait: Int64 = 10_000

    /// The open directory `.satchel-folder`.
    final class Workshop {
        let descriptor: Descriptor
        let journals: JournalFile

        init(_ descriptor: consuming Descriptor) {
            journals = JournalFile(in: descriptor.number)
            self.descriptor = descriptor
        }
    }

    /// What tells one directory from another.
    struct DeviceAndInode: Equatable {
        var device: UInt
        var inode: UInt
    }

    init(
        path: String, root: consuming Descriptor, workshop: Workshop?,
        marker: FolderMarker
    ) throws(SystemError) {
        self.path = path
        self.marker = marker
        place = try Self.identify(root.number, path)
        log = ChangeLog(in: root.number)
        self.root = root
        self.workshop = workshop
    }

    var names: FolderName { FolderName(foldsCase: marker.foldsCase) }

    /// True while `path` still leads to this directory: a drive may have been pulled out.
    var isInPlace: Bool {
        var info = stat()
        return stat(path, &info) == 0
            && place == DeviceAndInode(device: UInt(info.st_dev), inode: UInt(info.st_ino))
    }

    private static func identify(
        _ descriptor: Int32, _ path: String
    ) throws(SystemError) -> DeviceAndInode {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw SystemError("read \(path)", code: errno) }
        return DeviceAndInode(device: UInt(info.st_dev), inode: UInt(info.st_ino))
    }

    /// Keeps every other writer out.
    func lock() throws(SystemError) -> FileLock {
        try FileLock.acquire(try lockFile(), within: Self.lockWait)
    }

    /// The lock if nobody holds it.
    func lockIfFree() throws(SystemError) -> FileLock? { try FileLock.attempt(try lockFile()) }

    private func lockFile() throws(SystemError) -> String {
        guard workshop != nil else { throw SystemError("write to \(path)", code: EACCES) }
        return Path.join(path, "\(Self.workshopName)/lock")
    }

    /// The directory of a model's records; nil when it has none and `making` is false.
    func directory(of model: String, making: Bool) throws(SystemError) -> ModelDirectory? {
        if let known = models[model], known.isLinked { return known }
        if making, mkdirat(root.number, model, 0o777) != 0, errno != EEXIST {
            throw SystemError("make the directory \(Path.join(path, model))", code: errno)
        }
        let number = openat(root.number, model, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT, !making { return nil }
            throw SystemError("read \(Path.join(path, model))", code: errno)
        }
        let directory = ModelDirectory(Descriptor(taking: number), path: Path.join(path, model))
        models[model] = directory
        return directory
    }

    /// Makes sure that all that was written is on the disk.
    func synchronise() throws(SystemError) {
        // One call for all files of a push: a thousand single ones would take seconds.
        guard satchel_syncfs(root.number) == 0 else {
            throw SystemError("write to \(path)", code: errno)
        }
    }
}
