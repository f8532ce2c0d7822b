internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage

// What the writing commands share: which records, consent, what is said afterwards.

extension Session {
    /// Which records an update is about; items of a composite key leave `values`.
    func target(
        _ target: Target?, _ values: inout Values, _ model: Model, _ open: OpenWorkspace
    ) throws(ShellError) -> Target {
        if let target { return target }
        guard model.hasCompositeKey else {
            throw .usage(
                "update \(model.name) does not say which record",
                hint: "update \(model.name) ID FIELD=VALUE, or: where FILTER set FIELD=VALUE")
        }
        let keys = values.items.prefix { word in
            model.key.contains {
                word.utf8.starts(with: "\($0)=".utf8) || word.utf8.starts(with: "\($0):=".utf8)
            }
        }
        values.items.removeFirst(keys.count)
        return .keys(Array(keys))
    }

    func affected(_ target: Target, _ model: Model, _ open: OpenWorkspace) throws(ShellError)
        -> [RecordID]
    {
        switch target {
        case .keys(let words): return try ids(words, model, open)
        case .filter(let text):
            let query = Query(model: model.name, filter: try filter(text, model, open))
            return try stored { () throws(StoreError) in try open.store.ids(query) }
        }
    }

    /// Asks for consent to a write of several records, with the context it is done in.
    func consent(
        to action: String, _ ids: [RecordID], _ model: Model, _ open: OpenWorkspace
    ) throws(ShellError) {
        try consent(
            to: "\(action) in context \(open.workspace.context.name)",
            showing: ids.lazy.map { "\(model.name) \($0.text)" },
            hint: "--dry-run shows what it would do; --yes consents")
    }

    /// Says what was written: the id; a friendly line on a terminal; the record in JSON.
    func tellWritten(
        _ ids: [RecordID], _ verb: String, _ model: Model, _ open: OpenWorkspace, single: Bool
    ) throws(ShellError) {
        switch try format() {
        case .json, .ndjson, .yaml, .csv:
            var records: [(id: RecordID, record: StoredRecord)] = []
            for id in ids {
                let record = try stored { () throws(StoreError) in
                    try open.store.record(model, id)
                }
                if let record { records.append((id, record)) }
            }
            try writeRecords(records, model, open, single: single)
        case .table where console.terminal.outputIsTerminal:
            try written { () throws(SystemError) in
                for id in ids {
                    try output.write("\(verb) \(model.name) \(Sanitizer.show(id.text))\n")
                }
            }
        case .table, .tsv:
            try written { () throws(SystemError) in
                for id in ids {
                    try output.write(Sanitizer.show(id.text))
                    try output.write("\n")
                }
            }
        case .id:
            let output = try listing().exact(self.output)
            try written { () throws(SystemError) in
                for id in ids { try output.write(id.text + "\n") }
            }
        }
        tellOffline(open)
    }

    /// Says how many a filter met.
    func tellCount(_ verb: String, _ count: Int, _ model: Model) throws(ShellError) -> ExitCode {
        if console.terminal.outputIsTerminal, !isJSON {
            try written { () throws(SystemError) in
                try output.write("\(verb) \(Quantity.count(count, "\(model.name) record"))\n")
            }
        } else {
            try writeNumber(verb, count)
        }
        return .done
    }

    /// What `--dry-run` shows: the records as they would be.
    func preview(
        _ records: [(RecordID, StoredRecord)], _ model: Model, _ open: OpenWorkspace
    ) throws(ShellError) {
        try writeRecords(
            records.map { (id: $0.0, record: $0.1) }, model, open, single: records.count == 1)
        console.note("nothing was done")
    }
}
