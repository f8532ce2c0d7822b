internal import CSystem
internal import Glibc
internal import Platform

extension Folder {
    /// False on a drive that other machines may write to: their changes cause no event here.
    var isOnThisMachine: Bool {
        // From linux/magic.h and statfs(2).
        let shared: Set<Int64> = [
            0x6969,  // NFS
            0x517B, 0xFF53_4D42, 0xFE53_4D42,  // SMB, CIFS, SMB 2
            0x6573_5546,  // FUSE: sshfs and others
            0x0102_1997,  // 9P
            0x00C3_6400,  // Ceph
            0x5346_414F,  // AFS
            0x786F_4256,  // VirtualBox
        ]
        let kind = satchel_file_system(root.number)
        return kind >= 0 && !shared.contains(kind)
    }
}

/// Tells when lines are appended to the folder's log, on this machine.
final class LogWatch {
    let descriptor: Descriptor
    private let file: String
    /// Nil for all models.
    let models: Set<String>?
    /// What was reported up to.
    var position: LogPosition

    /// Begins to watch `folder`, whose log is made if there is none yet, for `models`.
    init(_ folder: Folder, models: [String]?) throws(SystemError) {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { throw SystemError("watch \(folder.path)", code: errno) }
        descriptor = Descriptor(taking: number)
        self.models = models.map { Set($0) }
        try folder.log.append([])
        position = try folder.log.head()
        file = Path.join(folder.path, ChangeLog.file)
        guard follow() else { throw SystemError("watch \(file)", code: errno) }
    }

    /// Takes back what made the descriptor readable; what is read afterwards is the latest.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor.number, buffer.baseAddress, buffer.count) > 0 {}
        }
        // A log that was cut is another file. Where it is the same, this changes nothing.
        _ = follow()
    }

    private func follow() -> Bool {
        inotify_add_watch(descriptor.number, file, UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)) >= 0
    }
}
