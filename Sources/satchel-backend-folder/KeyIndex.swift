internal import JSON
internal import Platform

/// Which idempotency keys were applied.
///
/// Only an operation that looks stale is looked up, so the log is read when the first one comes,
/// and then only what was appended since. Of each key a hash is kept and where its line ends; a hit
/// is looked up in the log itself. Keys of lines that were cut off the log are in runs.
struct KeyIndex {
    /// The end of the last line whose key has the hash.
    private var ends: [UInt64: Int64] = [:]
    private var runs: [KeyRun] = []
    private var cut = LogCut.none
    /// What was read up to; nil before the first look.
    private var position: LogPosition?

    /// True when an operation with `key` was applied; the caller holds the folder's lock.
    mutating func contains(_ key: String, in folder: Folder) throws(SystemError) -> Bool {
        try catchUp(with: folder)
        if let end = ends[Self.hash(key)] {
            if try folder.log.line(before: end)?.key.sameBytes(as: key) == true { return true }
            // Another key has the same hash.
            var found = false
            try folder.log.scan(from: nil) { (line, _) throws(SystemError) in
                found = Self.key(of: line)?.sameBytes(as: key) == true
                return !found
            }
            if found { return true }
        }
        let line = KeyRun.line(key)
        for run in runs.reversed() where try run.contains(line) { return true }
        return false
    }

    private mutating func catchUp(with folder: Folder) throws(SystemError) {
        let head = try folder.log.head()
        let cut = try folder.log.cut()
        if let position, head == position, cut == self.cut { return }
        // Runs are made when the log is cut.
        if let position, cut == self.cut, try folder.log.holds(position) {
            try read(folder.log, from: position.offset)
        } else {
            ends = [:]
            runs = try folder.keyRuns()
            try read(folder.log, from: nil)
        }
        self.cut = cut
        position = head
    }

    private mutating func read(_ log: ChangeLog, from offset: Int64?) throws(SystemError) {
        var added = ends
        ends = [:]
        try log.scan(from: offset) { (line, end) throws(SystemError) in
            if let outline = LogLine.Outline(line) {
                added[Checksum.word(outline.key)] = end
            } else if let key = LogLine(line)?.key {
                added[Self.hash(key)] = end
            }
            return true
        }
        ends = added
    }

    private static func hash(_ key: String) -> UInt64 {
        var key = key
        return key.withUTF8 { Checksum.word(UnsafeRawBufferPointer($0)) }
    }

    private static func key(of line: UnsafeRawBufferPointer) -> String? {
        if let outline = LogLine.Outline(line) {
            return String(decoding: outline.key, as: UTF8.self)
        }
        return LogLine(line)?.key
    }
}
