internal import CSystem
internal import Glibc
internal import JSON
internal import Platform

/// A file of idempotency keys whose lines were cut off the log.
///
/// One JSON text a line, in the order of their bytes. It is never changed once it has its name.
final class KeyRun {
    let name: String
    let size: Int64
    private let descriptor: Descriptor

    private static let prefix = "keys-"
    /// More than a usual line.
    private static let block: Int64 = 256

    /// The runs of `.satchel-folder`, the oldest first.
    static func all(in workshop: Int32, at path: String) throws(SystemError) -> [KeyRun] {
        let numbers = try Files.list(path).compactMap { number(of: $0) }.sorted()
        var runs: [KeyRun] = []
        for number in numbers {
            if let run = try KeyRun(named: name(number), in: workshop) { runs.append(run) }
        }
        return runs
    }

    static func name(_ number: Int) -> String { "\(prefix)\(number)" }

    /// The number in a run's name; nil for the name of anything else.
    static func number(of name: String) -> Int? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        let number = Int(name.dropFirst(prefix.count))
        return number.flatMap { Self.name($0) == name ? $0 : nil }
    }

    /// How a key is written in a run.
    static func line(_ key: String) -> [UInt8] { JSONValue.string(key).bytes() }

    /// The `seq` of a line of the log, and its key as it is written in a run; nil for no such line.
    static func line(of bytes: UnsafeRawBufferPointer) -> (seq: Int64, key: [UInt8])? {
        if let outline = LogLine.Outline(bytes) {
            // Without an escape in it, it stands there as JSON writes it.
            let quote = [UInt8(ascii: "\"")]
            return (outline.seq, quote + outline.key + quote)
        }
        return LogLine(bytes).map { ($0.seq, line($0.key)) }
    }

    /// Nil when the file is gone, or is none.
    private init?(named name: String, in workshop: Int32) throws(SystemError) {
        let number = openat(workshop, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if number < 0, errno == ENOENT || errno == ELOOP { return nil }
        guard number >= 0 else { throw SystemError("read \(name)", code: errno) }
        let descriptor = Descriptor(taking: number)
        var info = stat()
        guard fstat(descriptor.number, &info) == 0 else {
            throw SystemError("read \(name)", code: errno)
        }
        guard info.st_mode & S_IFMT == S_IFREG else { return nil }
        self.name = name
        size = Int64(info.st_size)
        self.descriptor = descriptor
    }

    /// All its lines, from the first on.
    func lines() throws(SystemError) -> LineReader {
        guard lseek(descriptor.number, 0, SEEK_SET) >= 0 else {
            throw SystemError("read \(name)", code: errno)
        }
        return LineReader(descriptor.number, name: name)
    }

    /// True when it has the key that `line` writes.
    func contains(_ line: [UInt8]) throws(SystemError) -> Bool {
        // Both are where a line begins; the line is not before `low`, nor at `high` or after.
        var low: Int64 = 0
        var high = size
        while low < high {
            let middle = low + (high - low) / 2
            let start = try lineStart(before: middle, notBefore: low)
            let found = try self.line(at: start)
            switch KeyRun.order(found, line) {
            case 0: return true
            case ..<0: low = start + Int64(found.count) + 1
            default: high = start
            }
        }
        return false
    }

    /// Below 0 when `one` comes first, 0 when they are the same.
    static func order(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
        let count = min(one.count, other.count)
        if count > 0, let left = one.baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, count)
            if order != 0 { return Int(order) }
        }
        return one.count - other.count
    }

    static func order(_ one: [UInt8], _ other: [UInt8]) -> Int {
        one.withUnsafeBytes { one in other.withUnsafeBytes { order(one, $0) } }
    }
}

extension KeyRun {
    private func lineStart(
        before offset: Int64, notBefore low: Int64
    ) throws(SystemError) -> Int64 {
        var end = offset
        while end > low {
            let start = max(low, end - Self.block)
            let bytes = try read(from: start, to: end)
            if let newline = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                return start + Int64(newline) + 1
            }
            end = start
        }
        return low
    }

    private func line(at start: Int64) throws(SystemError) -> [UInt8] {
        var found: [UInt8] = []
        var offset = start
        while offset < size {
            let bytes = try read(from: offset, to: min(size, offset + Self.block))
            if let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                return found + bytes[..<newline]
            }
            guard !bytes.isEmpty else { break }
            found += bytes
            offset += Int64(bytes.count)
        }
        return found
    }

    private func read(from start: Int64, to end: Int64) throws(SystemError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(end - start)) { buffer, filled in
            let got = pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(start))
            if got < 0 { code = errno }
            filled = max(0, got)
        }
        guard code == 0 else { throw SystemError("read \(name)", code: code) }
        return bytes
    }
}
