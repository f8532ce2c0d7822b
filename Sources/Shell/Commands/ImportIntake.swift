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
    let hooks: ImportHooks
    /// Rows that the hooks will be asked about.
    var unasked: [ImportStep] = []
    var unaskedKeys: Set<RecordKey> = []
    /// What they are looked up by, where that is not their ids.
    var unaskedValues: Set<JSONValue> = []
    /// What records will be when the rows are written that the hooks let pass.
    var pending: [RecordKey: JSONObject] = [:]
    /// Records that the hooks wanted otherwise.
    var changedByHooks = 0

    init(
        _ session: Session, _ open: OpenWorkspace, _ group: String, key: String?,
        hooks: ImportHooks
    ) {
        self.hooks = hooks
        self.session = session
        self.open = open
        self.group = group
        self.key = key
    }

    /// Takes some rows and commits them; a bad row is told and passed over.
    ///
    /// - Returns: False at the end of the file.
    mutating func batch(
        _ rows: inout ImportRows, _ limit: Int, isDryRun: Bool, _ advance: () -> Void,
        onError: (ShellError) -> Void
    ) throws(ShellError) -> Bool {
        var isThereMore = true
        var approved: [ImportStep] = []
        if hooks.areAny {
            for _ in 0..<limit where isThereMore {
                try passing(onError) { (intake) throws(ShellError) in
                    guard let row = try rows.next() else {
                        isThereMore = false
                        return
                    }
                    approved += try intake.consider(row, onRefusal: onError)
                    advance()
                }
            }
            approved += try askAbout(onRefusal: onError)
            pending = [:]
        }
        do throws(ImportEnd) {
            try open.store.write(
                { () throws(ImportEnd) in
                    do throws(ShellError) {
                        for step in approved {
                            try passing(onError) { (intake) throws(ShellError) in
                                try intake.take(step)
                            }
                        }
                        for _ in 0..<limit where isThereMore && !hooks.areAny {
                            try passing(onError) { (intake) throws(ShellError) in
                                guard let row = try rows.next() else {
                                    isThereMore = false
                                    return
                                }
                                try intake.take(row)
                                advance()
                            }
                        }
                    } catch {
                        throw .failed(error)
                    }
                    if isDryRun { throw .rehearsed }
                }, mapping: { .failed(ShellError($0)) })
        } catch {
            if case .failed(let cause) = error { throw cause }
        }
        return isThereMore
    }

    /// Runs `body`; a row that is wrong is told and counted, and ends nothing.
    private mutating func passing(
        _ onError: (ShellError) -> Void,
        _ body: (inout ImportIntake) throws(ShellError) -> Void
    ) throws(ShellError) {
        do throws(ShellError) { try body(&self) } catch {
            if error.kind != .input && error.kind != .exists { throw error }
            summary.failed += 1
            onError(error)
        }
    }

    mutating func countFailure() { summary.failed += 1 }

    mutating func take(_ row: ImportRow) throws(ShellError) { try take(try step(of: row)) }

    /// What a row does to the records as they are, and as they are about to be.
    mutating func step(of row: ImportRow) throws(ShellError) -> ImportStep {
        let model = row.model
        if let id = try existing(row) {
            let values = changes(row)
            return ImportStep(
                model: model, place: row.place, id: id, values: values, written: values,
                isCreate: false)
        }
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
        return ImportStep(
            model: model, place: row.place, id: id, values: record, written: record, isCreate: true)
    }

    /// Writes a step, in the transaction that is open.
    mutating func take(_ asked: ImportStep) throws(ShellError) {
        let step = asked.wasAsked ? try renewed(asked) : asked
        let (model, id) = (step.model, step.id)
        guard step.isCreate else {
            let outcome = try stored { () throws(StoreError) in
                try open.outbox.update(model, id, set: step.values, group: group)
            }
            if outcome == .written { summary.updated += 1 } else { summary.unchanged += 1 }
            return
        }
        let outcome = try stored { () throws(StoreError) in
            try open.outbox.create(model, id, step.values, group: group)
        }
        if outcome == .exists {
            throw ShellError(
                .exists, "\(step.place): there is a \(model.name) \(id) already",
                hint: "update what is there: --key \(model.key[0])")
        }
        summary.created += 1
        remember(step)
    }

    /// Lets later rows find what a row creates by the value of `--key`.
    mutating func remember(_ step: ImportStep) {
        guard step.isCreate, let key, known != nil, let value = step.values[key] else { return }
        known?[value] = step.id
    }

    private func changes(_ row: ImportRow) -> JSONObject {
        let model = row.model
        var set = row.record
        for name in model.key { set[name] = nil }
        if row.isExport {
            // What the backend sets is not ours to change.
            for field in model.fields where field.isReadOnly { set[field.name] = nil }
        }
        return set
    }

    /// The record that a row is about, where there is one.
    private mutating func existing(_ row: ImportRow) throws(ShellError) -> RecordID? {
        let model = row.model
        guard key != nil || row.isExport else { return nil }
        guard let key, !(model.key.count == 1 && model.key[0].sameBytes(as: key)) else {
            guard let id = model.id(of: row.record) else { return nil }
            if !pending.isEmpty, pending[RecordKey(model.name, id)] != nil { return id }
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

    /// The value by which a row's record is looked up, where that is not its id.
    func lookup(_ row: ImportRow) -> JSONValue? {
        guard let key, !(row.model.key.count == 1 && row.model.key[0].sameBytes(as: key)) else {
            return nil
        }
        return row.record[key]
    }

    func stored<T>(_ body: () throws(StoreError) -> T) throws(ShellError) -> T {
        do throws(StoreError) { return try body() } catch { throw ShellError(error) }
    }
}
