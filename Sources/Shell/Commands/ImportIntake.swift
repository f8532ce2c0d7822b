internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage

/// Takes the rows of an import into the store: creates, or updates what `--key` finds.
struct ImportIntake {
    let open: OpenWorkspace
    private let session: Session
    private let group: String
    private let key: String?
    private(set) var summary = ImportSummary()
    /// Records by the value of `--key`, where that is not what they are known by.
    private var known: [JSONValue: RecordID]?

    init(_ session: Session, _ open: OpenWorkspace, _ group: String, key: String?) {
        self.session = session
        self.open = open
        self.group = group
        self.key = key
    }

    /// Takes some rows and commits them; a bad row is told and passed over.
    ///
    /// - Returns: False at the end of the file.
    mutating func batch(
        _ rows: inout ImportRows, _ limit: Int, _ advance: () -> Void,
        onError: (ShellError) -> Void
    ) throws(ShellError) -> Bool {
        var isThereMore = true
        try open.store.write(
            { () throws(ShellError) in
                for _ in 0..<limit {
                    do throws(ShellError) {
                        guard let row = try rows.next() else {
                            isThereMore = false
                            return
                        }
                        try take(row)
                        advance()
                    } catch {
                        if error.kind != .input && error.kind != .exists { throw error }
                        summary.failed += 1
                        onError(error)
                    }
                }
            }, mapping: { ShellError($0) })
        return isThereMore
    }

    mutating func take(_ row: ImportRow) throws(ShellError) {
        let model = row.model
        if let id = try existing(row) { return try update(row, id) }
        let record: JSONObject
        do throws(RecordsError) {
            record = try model.complete(create: row.record, newID: session.identifiers.next)
        } catch {
            throw ShellError(.input, "\(row.place): \(error.message)", hint: error.hint)
        }
        guard let id = model.id(of: record) else {
            throw ShellError(
                .input, "\(row.place): \(model.name) needs \(model.key.joined(separator: ", "))")
        }
        let outcome = try stored { () throws(StoreError) in
            try open.outbox.create(model, id, record, group: group)
        }
        if outcome == .exists {
            throw ShellError(
                .exists, "\(row.place): there is a \(model.name) \(id) already",
                hint: "update what is there: --key \(model.key[0])")
        }
        summary.created += 1
        if let key, known != nil, let value = record[key] { known?[value] = id }
    }

    private mutating func update(_ row: ImportRow, _ id: RecordID) throws(ShellError) {
        let model = row.model
        var set = row.record
        for name in model.key { set[name] = nil }
        if row.isExport {
            // What the backend sets is not ours to change.
            for field in model.fields where field.isReadOnly { set[field.name] = nil }
        }
        let outcome = try stored { () throws(StoreError) in
            try open.outbox.update(model, id, set: set, group: group)
        }
        if outcome == .written { summary.updated += 1 } else { summary.unchanged += 1 }
    }

    /// The record that a row is about, where there is one.
    private mutating func existing(_ row: ImportRow) throws(ShellError) -> RecordID? {
        let model = row.model
        guard key != nil || row.isExport else { return nil }
        guard let key, !(model.key.count == 1 && model.key[0].sameBytes(as: key)) else {
            guard let id = model.id(of: row.record) else { return nil }
            return try stored { () throws(StoreError) in
                try open.store.recordExists(model, id) ? id : nil
            }
        }
        guard let value = row.record[key], !value.isNull else {
            throw ShellError(.input, "\(row.place): it has no \(key), by which --key looks it up")
        }
        if known == nil { known = try index(model, by: key) }
        return known?[value]
    }

    private func index(_ model: Model, by key: String) throws(ShellError)
        -> [JSONValue: RecordID]
    {
        guard let place = model.fieldIndex(key) else { return [:] }
        var found: [JSONValue: RecordID] = [:]
        try stored { () throws(StoreError) in
            try open.store.forEach(Query(model: model.name), fields: [place]) {
                (row) throws(StoreError) in
                found[try row.value(at: place)] = row.id
                return true
            }
        }
        return found
    }

    private func stored<T>(_ body: () throws(StoreError) -> T) throws(ShellError) -> T {
        do throws(StoreError) { return try body() } catch { throw ShellError(error) }
    }
}
