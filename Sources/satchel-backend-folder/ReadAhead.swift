internal import CSystem
internal import Glibc
internal import Platform

/// Threads that read files before they are asked for, so that a disk has several to fetch at once.
///
/// Nothing comes of it but that the system has their content in memory.
final class ReadAhead: Sendable {
    /// File names, each with a zero byte behind it; an empty chunk ends a thread.
    private let chunks: Mailbox<[UInt8]>

    private static let threads = 16
    private static let room = 64 * 1024

    init(in directory: ModelDirectory) throws(SystemError) {
        let chunks = try Mailbox<[UInt8]>()
        self.chunks = chunks
        for _ in 0..<Self.threads {
            // Its own, so that a thread may outlive the directory.
            let descriptor = fcntl(directory.descriptor.number, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { throw SystemError("read \(directory.path)", code: errno) }
            try Worker.start {
                Self.run(descriptor, chunks)
                close(descriptor)
            }.detach()
        }
    }

    deinit {
        _ = chunks.takeAll()
        for _ in 0..<Self.threads { chunks.put([]) }
    }

    func read(_ names: [UInt8]) { chunks.put(names) }

    private static func run(_ directory: Int32, _ chunks: Mailbox<[UInt8]>) {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 64)
        defer { buffer.deallocate() }
        while let names = chunks.take(within: -1), !names.isEmpty {
            names.withUnsafeBytes { bytes in
                guard var name = bytes.bindMemory(to: CChar.self).baseAddress else { return }
                let end = name + bytes.count
                while name < end {
                    _ = SmallFile.read(name, in: directory, into: buffer, room: room)
                    name += strlen(name) + 1
                }
            }
        }
    }
}

/// Decides when files are worth reading ahead: while the system fetches many of them from a disk.
struct ReadAheadControl {
    private var readAhead: ReadAhead?
    /// The first name that was not handed over.
    private var next = 0
    private var blocksBefore = 0
    private var filesBefore = 0

    /// Names handed over beyond the one being read.
    private static let distance = 4096
    private static let chunk = 64
    /// Blocks of 512 bytes a file from which on it is worth it: one small file in eight.
    private static let worthwhile = 1

    /// Hands over the names after `index`, if that helps.
    mutating func begin(at index: Int, of listing: DirectoryListing, in directory: ModelDirectory) {
        filesBefore = index
        blocksBefore = Self.blocksRead
        guard let readAhead else { return }
        next = max(next, index)
        let end = min(index + Self.distance, listing.count)
        while next < end {
            let stop = min(next + Self.chunk, end)
            var names: [UInt8] = []
            for place in next..<stop {
                names.append(contentsOf: listing[place])
                names.append(contentsOf: FolderName.suffix.utf8)
                names.append(0)
            }
            readAhead.read(names)
            next = stop
        }
    }

    /// Looks at how the files before `index` were read.
    mutating func end(at index: Int, in directory: ModelDirectory) {
        let files = index - filesBefore
        guard files >= 128 else { return }
        guard Self.blocksRead - blocksBefore >= files * Self.worthwhile else {
            readAhead = nil
            return
        }
        guard readAhead == nil else { return }
        next = index
        do throws(SystemError) {
            readAhead = try ReadAhead(in: directory)
        } catch {
            // Without it the files are read all the same.
        }
    }

    /// What this process had the system read from disks.
    private static var blocksRead: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_inblock
    }
}
