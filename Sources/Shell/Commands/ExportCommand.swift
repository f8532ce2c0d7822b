internal import JSON
internal import Records
internal import Storage

extension Session {
    /// Writes records as `{"model":..,"record":..}` lines, in schema order, then id order.
    func exportRecords(_ names: [String]) throws(ShellError) {
        let open = try workspace()
        var models = open.schema.models
        if !names.isEmpty {
            models = []
            for name in names { models.append(try open.model(name)) }
        }
        let isShown = console.terminal.outputIsTerminal
        let target: any ByteSink = isShown ? TerminalText(output, as: .json) : output
        var writer = ExportWriter(to: target)
        var progress = console.progress("exporting", clock: clock)
        defer { progress.finish() }
        // One snapshot over all models, so that what refers to each other fits.
        try open.store.read(
            { () throws(ShellError) in
                for model in models {
                    writer.begin(model: model.name, columns: Columns(of: model))
                    try open.store.forEachRow(Query(model: model.name)) {
                        (row) throws(ShellError) in
                        try writer.row(row)
                        progress.advance()
                        return true
                    }
                }
            }, mapping: { ShellError($0) })
        try writer.end()
    }
}
