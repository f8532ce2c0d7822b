internal import CSimdJSON
internal import CSystem
internal import Glibc
internal import JSON
internal import Platform
internal import PluginKit
internal import Records

/// Turns record files into the items of a page.
///
/// A file as this backend writes it is never read into values: its bytes lose their white space,
/// get the id in front and go on the page. Everything else takes the slow way and gives the same.
final class RecordReader {
    enum Found {
        case record, deleted
        /// Something that is no record: put on the page for the host's quarantine.
        case broken
        case missing
        /// The name is none that this folder gives.
        case foreign
    }

    private let names: FolderName
    private let input: UnsafeMutablePointer<UInt8>
    private let name: UnsafeMutablePointer<CChar>
    private let plain: [Bool]

    /// Larger files take the slow way.
    private static let room = 256 * 1024
    private static let nameRoom = 512
    private static let maxDepth: Int32 = 100
    /// What a line can still hold with everything around it.
    private static let largestItem = 15 << 20
    private static let padding = SATCHEL_JSON_PADDING

    init(names: FolderName) {
        self.names = names
        input = .allocate(capacity: Self.room + Self.padding)
        name = .allocate(capacity: Self.nameRoom)
        plain = (UInt8.min...UInt8.max).map { names.standsForItself($0) }
    }

    deinit {
        input.deallocate()
        name.deallocate()
    }

    /// Puts the record in a file on the page.
    ///
    /// - Parameters:
    ///   - stem: The file's name without `.json`.
    ///   - directory: The model's.
    ///   - page: Gets one item, or none for what is missing, foreign or an unwanted tombstone.
    ///   - tombstones: Whether deleted records are put there.
    ///   - known: The record that the file should hold, where that is known without it.
    /// - Returns: What the file was.
    /// - Throws: When the drive cannot be read; a bad file is put on the page as broken.
    func append(
        _ stem: UnsafeBufferPointer<UInt8>, in directory: ModelDirectory, onto page: PageBuffer,
        tombstones: Bool, known: RecordID? = nil
    ) throws(SystemError) -> Found {
        guard isPlain(stem) else {
            return try appendSlowly(
                stem, in: directory, onto: page, tombstones: tombstones, known: known)
        }
        for index in 0..<stem.count { name[index] = CChar(bitPattern: stem[index]) }
        strcpy(name + stem.count, FolderName.suffix)
        let count = SmallFile.read(
            name, in: directory.descriptor.number, into: input, room: Self.room)
        if count == -Int(ENOENT) { return .missing }
        if count > 0, count < Self.room,
            let found = appendQuickly(stem, count, onto: page, tombstones: tombstones)
        {
            return found
        }
        return try appendSlowly(
            stem, in: directory, onto: page, tombstones: tombstones, known: known)
    }

    /// Puts a record's present state on the page; one whose file is gone, as deleted.
    ///
    /// - Parameters:
    ///   - id: The record's.
    ///   - version: The last one known, for a record whose file is gone.
    ///   - directory: The model's, if it has one.
    ///   - page: Gets one item.
    /// - Throws: As for a file.
    func append(
        _ id: RecordID, version: Int64?, in directory: ModelDirectory?, onto page: PageBuffer
    ) throws(SystemError) {
        if let directory {
            let stem = Array(names.file(for: id).utf8.dropLast(FolderName.suffix.utf8.count))
            let found = try stem.withUnsafeBufferPointer { (stem) throws(SystemError) in
                try append(stem, in: directory, onto: page, tombstones: true, known: id)
            }
            if found != .missing, found != .foreign { return }
        }
        let item = PluginPage()
        item.append(deleted: id, version: version.map { .int($0) })
        page.append(item.bytes)
    }

    private func isPlain(_ stem: UnsafeBufferPointer<UInt8>) -> Bool {
        guard stem.count > 0, stem.count < Self.nameRoom - 8, stem[0] != UInt8(ascii: ".") else {
            return false
        }
        return plain.withUnsafeBufferPointer { plain in stem.allSatisfy { plain[Int($0)] } }
    }
}

extension RecordReader {
    private func appendQuickly(
        _ stem: UnsafeBufferPointer<UInt8>, _ count: Int, onto page: PageBuffer, tombstones: Bool
    ) -> Found? {
        // {"id":"STEM" and then the file's object, its brace replaced by a comma.
        let prefix = 8 + stem.count
        let place = page.open(room: prefix + count + Self.padding)
        let object = place + prefix
        var written = 0
        let members = satchel_json_compact_object(
            input, count, Self.maxDepth, object, &written)
        guard members == 2, let found = Self.shape(object, written) else { return nil }
        if found == .deleted, !tombstones { return found }
        memcpy(place, "{\"id\":\"", 7)
        UnsafeMutableRawBufferPointer(start: place + 7, count: stem.count)
            .copyMemory(from: UnsafeRawBufferPointer(stem))
        place[7 + stem.count] = UInt8(ascii: "\"")
        object.pointee = UInt8(ascii: ",")
        page.close(prefix + written)
        return found
    }

    /// Whether two members without white space are a version and a record, or a tombstone.
    private static func shape(_ object: UnsafeMutablePointer<UInt8>, _ count: Int) -> Found? {
        let head = 11
        guard count > head + 12, memcmp(object, "{\"version\":", head) == 0 else { return nil }
        var index = head
        while index < head + 18, object[index] &- 0x30 < 10 { index += 1 }
        guard index > head, count - index >= 12 else { return nil }
        if memcmp(object + index, ",\"record\":{", 11) == 0 { return .record }
        if count - index == 16, memcmp(object + index, ",\"deleted\":true}", 16) == 0 {
            return .deleted
        }
        return nil
    }

    private func appendSlowly(
        _ stem: UnsafeBufferPointer<UInt8>, in directory: ModelDirectory, onto page: PageBuffer,
        tombstones: Bool, known: RecordID?
    ) throws(SystemError) -> Found {
        let file = String(decoding: stem, as: UTF8.self) + FolderName.suffix
        let meaning = names.meaning(of: file)
        if meaning == .foreign { return .foreign }
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let content = try directory.read(file) else { return .missing }
            bytes = content
        } catch {
            // One file that may not be read stops nothing else.
            guard error.code == EACCES || error.code == EISDIR || error.code == EFBIG else {
                throw error
            }
            bytes = Array(error.message.utf8)
        }
        let item = PluginPage()
        let found = bytes.withUnsafeBytes { bytes in
            fill(item, from: bytes, file: file, meaning: meaning, known: known)
        }
        if found == .deleted, !tombstones { return found }
        page.append(item.bytes)
        return found
    }

    private func fill(
        _ item: PluginPage, from bytes: UnsafeRawBufferPointer, file: String,
        meaning: FolderName.Meaning, known: RecordID?
    ) -> Found {
        let inside = meaning == .inside ? StoredRecord.id(in: bytes) : nil
        let named: RecordID?
        switch meaning {
        case .id(let id): named = id
        case .inside, .foreign: named = inside ?? known
        }
        guard let id = named else {
            item.append(undecodable: nil, raw: Array("\(file): ".utf8) + bytes.prefix(65_536))
            return .broken
        }
        // An id that would have another name was put in by hand, and would come twice.
        let isMisnamed = meaning == .inside && names.file(for: id) != file
        guard !isMisnamed, bytes.count < Self.largestItem else {
            item.append(undecodable: id, raw: bytes.prefix(4096))
            return .broken
        }
        do throws(StoredRecord.Broken) {
            let stored = try StoredRecord(bytes)
            guard let record = stored.record else {
                item.append(deleted: id, version: .int(stored.version))
                return .deleted
            }
            item.append(id: id, version: .int(stored.version), record: record)
            return .record
        } catch {
            item.append(undecodable: id, raw: bytes.prefix(65536))
            return .broken
        }
    }
}
