internal import CSystem
internal import Glibc
internal import Platform

/// The names of a model's record files without `.json`, in byte order, close together in memory.
///
/// Listing and sorting a million names takes a second and about 40 bytes a name: it is done once a
/// snapshot, not once a page.
final class DirectoryListing {
    private var names: UnsafeMutablePointer<UInt8>
    private var used = 0
    private var capacity = 1 << 20
    /// Where each name begins; a zero byte ends it.
    private var offsets: [UInt32] = []

    /// An empty one.
    init() { names = .allocate(capacity: capacity) }

    deinit { names.deallocate() }

    var count: Int { offsets.count }

    subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
        let start = names + Int(offsets[index])
        return UnsafeBufferPointer(start: start, count: Self.length(start))
    }

    /// The place of the first name that comes after `name`.
    func index(after name: String) -> Int {
        var low = 0
        var high = count
        let wanted = Array(name.utf8) + [0]
        while low < high {
            let middle = (low + high) / 2
            let isAfter = wanted.withUnsafeBufferPointer { wanted in
                Self.compare(names + Int(offsets[middle]), wanted.baseAddress) > 0
            }
            if isAfter { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Reads the names in a directory that end in `.json`; hidden ones are left out.
    ///
    /// - Parameters:
    ///   - directory: The model's.
    ///   - beat: Called now and then; false stops.
    /// - Throws: When the directory cannot be read, or holds more names than 4 GiB of them.
    convenience init(
        of directory: ModelDirectory, _ beat: () -> Bool
    ) throws(SystemError) {
        self.init()
        // An own descriptor: reading a directory moves its place.
        let number = openat(directory.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("list \(directory.path)", code: errno) }
        let opened = Descriptor(taking: number)
        let room = 1 << 20
        let block = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
        defer { block.deallocate() }
        while beat() {
            let got = satchel_entries(opened.number, block, room)
            if got == 0 { break }
            guard got > 0 else { throw SystemError("list \(directory.path)", code: errno) }
            try take(UnsafeRawBufferPointer(start: block, count: got))
        }
        sort()
    }
}

extension DirectoryListing {
    /// Takes in a block of struct linux_dirent64: inode 8, offset 8, length 2, type 1, name.
    private func take(_ block: UnsafeRawBufferPointer) throws(SystemError) {
        guard let base = block.baseAddress else { return }
        let suffix = FolderName.suffix.utf8.count
        var position = 0
        while position < block.count {
            let length = Int(
                block.loadUnaligned(fromByteOffset: position + 16, as: UInt16.self))
            let name = (base + position + 19).assumingMemoryBound(to: UInt8.self)
            position += length
            let count = Self.length(name)
            guard count > suffix, name[0] != UInt8(ascii: "."),
                memcmp(name + count - suffix, FolderName.suffix, suffix) == 0
            else { continue }
            try append(name, count - suffix)
        }
    }

    private func append(_ name: UnsafePointer<UInt8>, _ count: Int) throws(SystemError) {
        guard let offset = UInt32(exactly: used) else {
            throw SystemError(code: EOVERFLOW, message: "the folder has too many records to list")
        }
        if capacity - used < count + 1 {
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
            memcpy(larger, names, used)
            names.deallocate()
            names = larger
            capacity *= 2
        }
        memcpy(names + used, name, count)
        names[used + count] = 0
        offsets.append(offset)
        used += count + 1
    }

    /// Sorts by eight bytes of each name at once, after those that all names begin with.
    private func sort() {
        let skipped = commonPrefix()
        var entries: [Entry] = []
        entries.reserveCapacity(offsets.count)
        for offset in offsets {
            entries.append(
                Entry(head: Self.head(names + Int(offset), skipping: skipped), offset: offset))
        }
        entries.sort { $0.head < $1.head }
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].head == entries[start].head { end += 1 }
            if end - start > 1 { entries[start..<end].sort(by: precedes) }
            start = end
        }
        for index in entries.indices { offsets[index] = entries[index].offset }
    }

    private struct Entry {
        var head: UInt64
        var offset: UInt32
    }

    private func precedes(_ left: Entry, _ right: Entry) -> Bool {
        Self.compare(names + Int(left.offset), names + Int(right.offset)) < 0
    }

    /// How many bytes all names begin with.
    private func commonPrefix() -> Int {
        guard let first = offsets.first else { return 0 }
        let model = names + Int(first)
        var shared = Self.length(model)
        for offset in offsets where shared > 0 {
            let name = names + Int(offset)
            var index = 0
            while index < shared, name[index] == model[index] { index += 1 }
            shared = index
        }
        return shared
    }

    private static func head(_ name: UnsafePointer<UInt8>, skipping skipped: Int) -> UInt64 {
        var head: UInt64 = 0
        var isOver = false
        for index in skipped..<(skipped + 8) {
            let byte = isOver ? 0 : name[index]
            isOver = isOver || byte == 0
            head = head << 8 | UInt64(byte)
        }
        return head
    }

    private static func length(_ name: UnsafePointer<UInt8>) -> Int {
        strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
    }

    private static func compare(
        _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>?
    ) -> Int32 {
        guard let right else { return 1 }
        return strcmp(
            UnsafeRawPointer(left).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(right).assumingMemoryBound(to: CChar.self))
    }
}
