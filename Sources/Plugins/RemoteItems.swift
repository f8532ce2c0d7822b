internal import JSON
internal import Records
internal import Sync

/// The items of an answer's `records`, read one by one where the answer is read.
///
/// One that cannot be read spoils only itself. Made on the thread that reads: what an item consists
/// of besides its record is gone again before another thread touches it.
struct RemoteItems: Sendable, Equatable {
    /// How many there were.
    private(set) var count = 0
    private(set) var records: [RemoteRecord] = []
    private(set) var undecodable: [Undecodable] = []
    /// Of the records that say so: what model they are of.
    private var models: [(place: Int, name: String)] = []

    /// More items than these nobody asks for, and none of them is kept: `pull` refuses such an answer,
    /// and to `fetch` records are missing in it.
    private static let most = 100_000

    private static let names = ["id", "record", "version", "deleted", "model", "reason"]

    /// Reads a line, without its LF, whose `result` may have `records` or `results`.
    ///
    /// The bad items that are kept are masked by `text`.
    ///
    /// - Returns: The line's value, with no records in it, and of a verdict that cannot be read the
    ///   key alone.
    /// - Throws: As `JSONValue.parse(_:maxDepth:rows:)`.
    static func read(
        _ line: UnsafeRawBufferPointer, maxDepth: Int, text: ForeignText
    ) throws(JSONError) -> (JSONValue, RemoteItems) {
        var items = RemoteItems()
        let records = JSONRows(
            ["result", "records"], of: names, maxDepth: RemoteItem.depthLimit + 1
        ) { row in
            items.take(&row, text)
            return .none
        }
        let verdicts = JSONRows(
            ["result", "results"], of: Verdict.names, maxDepth: RemoteItem.depthLimit + 1
        ) { Verdict.value(&$0) }
        let value = try JSONValue.parse(line, maxDepth: maxDepth, rows: [records, verdicts])
        return (value, items)
    }

    private mutating func take(_ row: inout JSONRow, _ text: ForeignText) {
        count += 1
        if count > Self.most { return }
        let model = row.values[4].take()?.text
        switch RemoteItem(&row, text: text) {
        case .record(let record):
            if let model { models.append((records.count, model)) }
            records.append(record)
        case .undecodable(let bad): undecodable.append(bad)
        }
    }

    /// Puts those aside that say that they are of another model.
    mutating func keep(of model: String, text: ForeignText) {
        let others = models.filter { !$0.name.sameBytes(as: model) }
        models = []
        for (place, _) in others.reversed() {
            undecodable.append(RemoteItem.foreign(records.remove(at: place), to: model, text))
        }
    }

    static func == (left: RemoteItems, right: RemoteItems) -> Bool {
        left.count == right.count && left.records == right.records
            && left.undecodable == right.undecodable
            && left.models.elementsEqual(right.models, by: ==)
    }
}

/// An item of `results`.
private enum Verdict {
    static let names = [
        "key", "outcome", "version", "record", "id", "message", "code", "field", "after_ms",
    ]

    /// The verdict; one that cannot be read is left with its key, so that it is an answer to something.
    static func value(_ row: inout JSONRow) -> JSONValue {
        let isBroken = row.fault != nil
        var verdict = JSONObject()
        for (name, value) in zip(names, row.values) where !isBroken || name == "key" {
            if let value { verdict.append(name, value) }
        }
        return .object(verdict)
    }
}
