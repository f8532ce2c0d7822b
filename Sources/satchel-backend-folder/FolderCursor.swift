package import JSON

/// A place in the log: after its line `seq`, which ends before byte `offset`.
package struct LogPosition: Sendable, Equatable {
    package var seq: Int64
    package var offset: Int64
    /// A hash of the bytes before `offset`: another log with as many lines is another history.
    package var check: String

    package init(seq: Int64, offset: Int64, check: String) {
        self.seq = seq
        self.offset = offset
        self.check = check
    }

    package static let start = LogPosition(seq: 0, offset: 0, check: "")
}

/// Where a pull continues.
package struct FolderCursor: Sendable, Equatable {
    package var epoch: String
    /// In a snapshot, the log's end when it began: from there the deltas go on.
    package var position: LogPosition
    /// The file name after which the snapshot goes on; nil once it is complete.
    package var after: String?

    package init(epoch: String, position: LogPosition, after: String? = nil) {
        self.epoch = epoch
        self.position = position
        self.after = after
    }

    package init?(_ json: JSONValue) {
        guard let epoch = json["e"]?.text, let seq = json["s"]?.integer,
            let offset = json["o"]?.integer, let check = json["h"]?.text, offset >= 0
        else { return nil }
        self.init(
            epoch: epoch, position: LogPosition(seq: seq, offset: offset, check: check),
            after: json["a"]?.text)
    }

    package var json: JSONValue {
        var object = JSONObject([
            ("e", .string(epoch)), ("s", .int(position.seq)), ("o", .int(position.offset)),
            ("h", .string(position.check)),
        ])
        if let after { object.append("a", .string(after)) }
        return .object(object)
    }
}
