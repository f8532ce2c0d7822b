internal import Records

/// What a walk along the log finds that has changed in one model: each record once.
struct Delta {
    private let model: [UInt8]
    private var seen: Set<RecordID> = []
    /// The `seq` of the line being looked at.
    private var lineSeq: Int64?
    /// The last line that was passed.
    private(set) var seq: Int64
    private(set) var offset: Int64

    init(model: String, position: LogPosition, limit: Int) {
        self.model = Array(model.utf8)
        seq = position.seq
        offset = position.offset
        seen.reserveCapacity(min(limit, 1000))
    }

    /// The line, when it is about a record of the model that was not met before.
    mutating func recordToRead(_ bytes: UnsafeRawBufferPointer) -> LogLine? {
        lineSeq = nil
        if let outline = LogLine.Outline(bytes) {
            lineSeq = outline.seq
            guard outline.model.elementsEqual(model) else { return nil }
        }
        guard let line = LogLine(bytes) else { return nil }
        lineSeq = line.seq
        guard line.model.utf8.elementsEqual(model), seen.insert(line.id).inserted else {
            return nil
        }
        return line
    }

    /// Goes on behind the line, which ends before `end`.
    mutating func pass(_ end: Int64) {
        seq = lineSeq ?? seq
        offset = end
    }
}
