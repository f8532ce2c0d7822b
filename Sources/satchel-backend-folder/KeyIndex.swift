internal import JSON
internal import Platform

/// Which idempotency keys the log holds.
///
/// Only an operation that looks stale is looked up, so the log is read when the first one comes,
/// and then only what was appended since. Hashes are kept, 8 bytes a key; a hit is looked up in the
/// log itself.
struct KeyIndex {
    private var hashes: Set<UInt64> = []
    private var end = LogPosition.start

    /// True when an operation with `key` was applied.
    mutating func contains(_ key: String, in log: ChangeLog) throws(SystemError) -> Bool {
        try catchUp(with: log)
        var key = key
        let hash = key.withUTF8 { Checksum.word(UnsafeRawBufferPointer($0)) }
        guard hashes.contains(hash) else { return false }
        var found = false
        try log.scan(from: 0) { (line, _) throws(SystemError) in
            found = Self.key(of: line)?.sameBytes(as: key) == true
            return !found
        }
        return found
    }

    private mutating func catchUp(with log: ChangeLog) throws(SystemError) {
        let head = try log.head()
        guard head != end else { return }
        if !(try log.holds(end)) {
            hashes = []
            end = .start
        }
        var added = hashes
        hashes = []
        try log.scan(from: end.offset) { (line, _) throws(SystemError) in
            if let outline = LogLine.Outline(line) {
                added.insert(Checksum.word(outline.key))
            } else if var key = LogLine(line)?.key {
                added.insert(key.withUTF8 { Checksum.word(UnsafeRawBufferPointer($0)) })
            }
            return true
        }
        hashes = added
        end = head
    }

    private static func key(of line: UnsafeRawBufferPointer) -> String? {
        if let outline = LogLine.Outline(line) {
            return String(decoding: outline.key, as: UTF8.self)
        }
        return LogLine(line)?.key
    }
}
