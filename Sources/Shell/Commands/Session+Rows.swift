internal import JSON
internal import Platform
internal import Records
internal import Storage

extension Session {
    /// Where a listing for people goes: through a pager when it is long, on a terminal.
    private func paged() -> PagedOutput? {
        PagedOutput(console.output, terminal: console.terminal, environment: environment)
    }

    /// Writes the records that a query meets, as they come.
    func writeRecords(
        _ query: Query, _ model: Model, _ open: OpenWorkspace, fields: [Int]?, include: [String]
    ) throws(ShellError) {
        let listing = try listing()
        let includes = try Includes(include, of: model, in: open)
        let columns = listing.columns(
            of: model, fields: fields, includes: includes.names, meta: showsMeta)
        let paged = paged()
        var rows = listing.rows(to: paged ?? output)
        var count = 0
        do throws(ShellError) {
            try rows.begin(columns)
            // Every field, where a row may have to give the whole record to an include.
            let asked = includes.isEmpty ? columns.fields : nil
            try open.store.forEachRow(query, fields: asked) { (row) throws(ShellError) in
                count += 1
                guard rows.wantsRows else { return true }
                var included: [JSONValue] = []
                if !includes.isEmpty {
                    included = try stored { () throws(StoreError) in
                        try includes.values(of: try row.record())
                    }
                }
                try rows.row(row, included: included)
                return true
            }
            try rows.end(total: count)
            try written { () throws(SystemError) in try paged?.finish() }
        } catch {
            // Whoever left the pager has seen enough.
            if let paged, paged.wasLeft { return }
            throw error
        }
    }

    /// Writes records that are at hand, one as an object.
    ///
    /// What `include` asks for is looked up here, unless `included` has it for each record.
    func writeRecords(
        _ records: [(id: RecordID, record: StoredRecord)], _ model: Model, _ open: OpenWorkspace,
        fields: [Int]? = nil, include: [String] = [], included given: [[JSONValue]]? = nil,
        single: Bool
    ) throws(ShellError) {
        var listing = try listing()
        listing.isSingle = single
        let includes = try Includes(include, of: model, in: open)
        let columns = listing.columns(
            of: model, fields: fields, includes: includes.names, meta: showsMeta)
        var rows = listing.rows(to: output)
        try rows.begin(columns)
        for (place, (id, stored)) in records.enumerated() {
            let (state, included) = try self.stored { () throws(StoreError) in
                let state = try open.store.state(of: RecordKey(model.name, id))
                if let given { return (state, given[place]) }
                return (state, try includes.values(of: stored.record))
            }
            let row = RecordRow(stored.record, of: model, version: stored.version, state: state)
            try rows.row(row, included: included)
        }
        try rows.end()
    }

    var showsMeta: Bool { options.showsMeta || settings.showsMeta }

    /// A number alone; an object that names it under the json formats.
    func writeNumber(_ name: String, _ number: Int) throws(ShellError) {
        try written { () throws(SystemError) in
            try output.write(isJSON ? "{\"\(name)\":\(number)}\n" : "\(number)\n")
        }
    }
}
