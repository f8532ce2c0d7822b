internal import Glibc
internal import JSON
internal import Platform
internal import PluginKit
internal import Records

/// A push while its operations are decided on: what each record would become.
struct PushDraft {
    private let folder: Folder
    private let rules: Rules
    private let client: String
    private let firstSeq: Int64
    private var nextSeq: Int64
    /// The new state of each record the push changes, in the order of their first change.
    private var changed: [Change] = []
    private var changeOf: [RecordKey: Int] = [:]
    private var lines: [UInt8] = []
    /// Keys decided on in this push.
    private var taken: Set<String> = []
    /// Bytes of the records that the answer holds so far, about.
    private var answered = 0

    /// An update of a few bytes is answered with the whole record, and a line has a limit.
    private static let mostAnswered = 8 << 20

    private struct Change {
        var key: RecordKey
        var file: String
        var isNamedInside: Bool
        var stored: StoredRecord
    }

    init(folder: Folder, rules: Rules, client: String, after head: LogPosition) {
        self.folder = folder
        self.rules = rules
        self.client = client
        firstSeq = head.seq + 1
        nextSeq = firstSeq
    }

    /// What is to be written; nil when nothing is.
    var journal: Journal? {
        guard !changed.isEmpty else { return nil }
        return Journal(
            entries: changed.map { change in
                Journal.Entry(
                    model: change.key.model, file: change.file, version: change.stored.version,
                    content: change.stored.content(
                        id: change.isNamedInside ? change.key.id : nil))
            }, lines: lines, firstSeq: firstSeq)
    }

    /// The verdict on an operation, on top of those before it.
    mutating func decide(
        _ operation: PluginOperation, keys: inout KeyIndex
    ) throws(SystemError) -> PluginVerdict {
        guard FolderName.isModel(operation.model) else {
            return .rejected(
                message: "\(operation.model) cannot be the name of a directory", code: "model")
        }
        let found: Found
        switch try find(operation) {
        case .broken(let reason):
            return .rejected(
                message: "the record's file in the folder is broken: \(reason)", code: "broken")
        case .taken:
            return .rejected(
                message: "another id has the same file name in the folder", code: "id")
        case .found(let value): found = value
        }
        let size = found.size + operation.size
        guard answered == 0 || answered + size < Self.mostAnswered else {
            return .retry(
                message: "the records of this push are too large for one answer",
                afterMilliseconds: 0)
        }
        answered += size
        switch Decision(operation, on: found.stored, rules: rules) {
        case .apply(let stored):
            // A record that was deleted since looks the same to a create as one that never was.
            if found.stored != nil, found.stored?.record == nil,
                try wasApplied(operation, &keys)
            {
                return verdict(found.stored)
            }
            apply(operation, found, stored)
            return verdict(stored)
        case .unchanged: return verdict(found.stored)
        case .stale:
            if try wasApplied(operation, &keys) { return verdict(found.stored) }
            return .conflict(
                version: found.stored.map { .int($0.version) }, record: found.stored?.record)
        case .rejected(let breach):
            return .rejected(message: breach.message, code: "rule", field: breach.field)
        }
    }

    private func verdict(_ stored: StoredRecord?) -> PluginVerdict {
        .ok(version: stored.map { .int($0.version) }, record: stored?.record)
    }

    private func wasApplied(
        _ operation: PluginOperation, _ keys: inout KeyIndex
    ) throws(SystemError) -> Bool {
        if taken.contains(operation.key) { return true }
        return try keys.contains(operation.key, in: folder)
    }

    private mutating func apply(
        _ operation: PluginOperation, _ found: Found, _ stored: StoredRecord
    ) {
        let line = LogLine(
            seq: nextSeq, key: operation.key, model: operation.model, id: operation.id,
            kind: operation.kind, version: stored.version, client: client)
        nextSeq += 1
        lines.append(contentsOf: line.bytes)
        taken.insert(operation.key)
        let key = RecordKey(operation.model, operation.id)
        if let index = changeOf[key] {
            changed[index].stored = stored
        } else {
            changeOf[key] = changed.count
            changed.append(
                Change(
                    key: key, file: found.file, isNamedInside: found.isNamedInside, stored: stored))
        }
    }
}

extension PushDraft {
    private struct Found {
        var file: String
        /// The file's name is too short for the id.
        var isNamedInside: Bool
        var stored: StoredRecord?
        /// Of the file.
        var size = 0
    }

    private enum Finding {
        case found(Found)
        case broken(String)
        /// The file is another record's.
        case taken
    }

    /// The record as this push leaves it so far.
    private func find(_ operation: PluginOperation) throws(SystemError) -> Finding {
        if let index = changeOf[RecordKey(operation.model, operation.id)] {
            let change = changed[index]
            return .found(
                Found(
                    file: change.file, isNamedInside: change.isNamedInside, stored: change.stored))
        }
        let file = folder.names.file(for: operation.id)
        let isNamedInside = folder.names.meaning(of: file) == .inside
        var found = Found(file: file, isNamedInside: isNamedInside, stored: nil)
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let directory = try folder.directory(of: operation.model, making: false),
                let content = try directory.read(file)
            else { return .found(found) }
            bytes = content
        } catch {
            // One file that cannot be read keeps no other change waiting.
            guard error.code == EACCES || error.code == EISDIR || error.code == EFBIG else {
                throw error
            }
            return .broken(error.message)
        }
        return bytes.withUnsafeBytes { bytes in
            if isNamedInside, StoredRecord.id(in: bytes) != operation.id { return .taken }
            do throws(StoredRecord.Broken) {
                found.size = bytes.count
                found.stored = try StoredRecord(bytes)
                return .found(found)
            } catch {
                return .broken(error.reason)
            }
        }
    }
}

extension PluginOperation {
    /// Bytes of what it writes, about.
    fileprivate var size: Int { (record ?? set).size }
}

extension JSONObject {
    fileprivate var size: Int {
        pairs.reduce(2) { $0 + $1.key.utf8.count + $1.value.size + 4 }
    }
}

extension JSONValue {
    fileprivate var size: Int {
        switch self {
        case .string(let text): text.utf8.count + 2
        case .big(let digits): digits.utf8.count
        case .array(let elements): elements.reduce(2) { $0 + $1.size + 1 }
        case .object(let members): members.size
        default: 8
        }
    }
}
