internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync

extension Session {
    func schema(_ request: SchemaRequest) throws(ShellError) {
        switch request {
        case .show(nil): try showSchema()
        case .show(let name?): try showModel(name)
        case .check(let source): try checkSchema(source)
        case .pull: try pullSchema()
        case .graph(let format): try drawSchema(format)
        }
    }
}

// MARK: - Showing

extension Session {
    /// A workspace's schema, without opening its store.
    func readSchema() throws(ShellError) -> (workspace: Workspace, text: [UInt8], schema: Schema) {
        let workspace = try findWorkspace()
        let text = try schemaFile(workspace).bytes
        let schema = try meaning { () throws(RecordsError) in
            try Schema.parse(bytes: text, file: workspace.config.schema)
        }
        return (workspace, text, schema)
    }

    private func showSchema() throws(ShellError) {
        let (_, text, schema) = try readSchema()
        switch try format() {
        case .table, .tsv:
            let shown = Sanitizer.show(bytes: text, lines: .kept)
            try written { () throws(SystemError) in try output.write(shown) }
        case .json, .ndjson, .yaml:
            try writeObject(schema.protocolJSON.members ?? JSONObject())
        case .csv, .id: try listing().write(schema.models.map(ModelSummary.init), to: output)
        }
    }

    private func showModel(_ name: String) throws(ShellError) {
        let schema = try readSchema().schema
        let model = try schema.known(name)
        switch try format() {
        case .json, .ndjson, .yaml:
            let one = Schema(models: [model]).protocolJSON["models"]?.elements?.first
            try writeObject(one?.members ?? JSONObject())
        case .table, .tsv, .csv, .id:
            let rows =
                model.fields.map { ModelRow($0, of: model) } + model.relations.map(ModelRow.init)
            try listing().write(rows, to: output)
        }
    }

    /// Writes one object in an exact format.
    private func writeObject(_ object: JSONObject) throws(ShellError) {
        var listing = try listing()
        listing.isSingle = true
        var rows = listing.rows(to: output)
        try rows.begin(ObjectRow.columns(of: object))
        try rows.row(ObjectRow(object))
        try rows.end()
    }

    private func drawSchema(_ format: GraphFormat) throws(ShellError) {
        let graph = SchemaGraph(try readSchema().schema)
        let bytes: [UInt8] =
            switch format {
            case .mermaid: Array(graph.mermaid.utf8)
            case .dot: Array(graph.dot.utf8)
            case .svg: try svg(of: graph.dot)
            }
        let isShown = console.terminal.outputIsTerminal
        let target: any ByteSink = isShown ? TerminalText(output, as: .shown) : output
        try written { () throws(SystemError) in try target.write(bytes) }
    }

    private func svg(of dot: String) throws(ShellError) -> [UInt8] {
        guard let program = environment.program("dot") else {
            throw ShellError(
                .failed, "svg is drawn by Graphviz, whose program dot is not installed",
                hint: "sudo apt-get install graphviz, or: schema graph -o mermaid")
        }
        let run = try written { () throws(SystemError) in
            try CapturedProgram(program, ["-Tsvg"], environment: environment)
                .run(input: Array(dot.utf8), within: 60_000, interrupt: interrupt)
        }
        guard run.code == 0 else {
            throw ShellError(
                .failed, "dot ended with exit code \(run.code)",
                hint: run.errors.isEmpty ? nil : String(decoding: run.errors, as: UTF8.self))
        }
        return run.output
    }
}

extension Schema {
    /// The model of that name, or an error that says which there are.
    func known(_ name: String) throws(ShellError) -> Model {
        if let model = model(name) { return model }
        let names = models.map(\.name)
        throw .usage(
            "there is no model \"\(name)\"",
            hint: didYouMean(name, among: names).map { "did you mean \"\($0)\"?" }
                ?? (names.isEmpty
                    ? "the schema has none"
                    : "there is \(names.prefix(12).joined(separator: ", "))"))
    }
}

/// A model in one line.
private struct ModelSummary: Listed {
    let model: Model

    init(_ model: Model) { self.model = model }

    static let keys = ["model", "key", "fields", "relations"]
    static var columns: [Column] { Column.values("model", "key", "fields", "relations") }
    var values: [JSONValue] {
        [
            .string(model.name), .array(model.key.map(JSONValue.string)),
            .array(model.fields.map { .string($0.name) }),
            .array(model.relations.map { .string($0.name) }),
        ]
    }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(model.name) }
}

// MARK: - Checking

extension Session {
    private func checkSchema(_ source: InputSource) throws(ShellError) {
        let name = source.shownName
        let (schema, errors) = Schema.check(bytes: try bytes(of: source), file: name)
        guard let first = errors.first else {
            for note in schema.notes { console.note(note) }
            if let note = noteOfRenames(in: schema) { console.note(note) }
            return try write(
                SchemaVerdict(
                    file: name, models: schema.models.count, notes: schema.notes,
                    parked: try forecast(schema).parked))
        }
        // One mistake a line, FILE:LINE:COL first, as editors and people expect of a checker.
        guard !isJSON, errors.count > 1 else {
            let text = errors.map(\.message).joined(separator: "\n")
            let hints = errors.compactMap(\.hint).joined(separator: "\n")
            throw ShellError(
                .schema, text, hint: errors.count == 1 ? first.hint : hints.isEmpty ? nil : hints)
        }
        for error in errors {
            console.tell(Sanitizer.show(error.message) + "\n")
            if let hint = error.hint { console.tell("  \(Sanitizer.show(hint))\n") }
        }
        throw ShellError(.schema, "\(name): \(Quantity.count(errors.count, "mistake"))")
    }
}

extension Session {
    /// A name that only the schema knows is one that the backend has no values under.
    private func noteOfRenames(in schema: Schema) -> String? {
        var renames: [String] = []
        for model in schema.models {
            if let old = model.renamedFrom { renames.append("\(old) to \(model.name)") }
            for field in model.fields {
                guard let old = field.renamedFrom else { continue }
                renames.append("\(model.name).\(old) to \(field.name)")
            }
        }
        if renames.isEmpty { return nil }
        let shown = renames.prefix(5).joined(separator: ", ") + (renames.count > 5 ? ", ..." : "")
        return "@renamed renames here only: \(shown). The backend has to know the new names too, "
            + "before the next sync; for a folder, rename the model's folder and the fields in its "
            + "files"
    }

    /// What adopting a schema would park, where there is a workspace with a store.
    private func forecast(_ schema: Schema) throws(ShellError) -> SchemaForecast {
        let workspace: Workspace
        do throws(ShellError) {
            workspace = try findWorkspace()
        } catch {
            // A file can be checked wherever it is; a workspace that was named must be there.
            if options.workspace != nil { throw error }
            return SchemaForecast()
        }
        return try stored { () throws(StoreError) in
            try Store.forecast(at: workspace.storePath, adopting: schema)
        }
    }

    /// Writes a report whose text is the same on a terminal and in a pipe.
    func write(_ report: some Reported) throws(ShellError) {
        let listing = try listing()
        guard listing.format.isForPeople else { return try listing.write(report, to: output) }
        try written { () throws(SystemError) in try output.write(report.text(listing.style)) }
    }
}

private struct SchemaVerdict: Reported {
    let file: String
    let models: Int
    let notes: [String]
    /// Queued changes that would not fit any more.
    let parked: [Mutation]

    static let keys = ["file", "ok", "models", "notes", "parked"]
    var values: [JSONValue] {
        [
            .string(file), true, .int(Int64(models)), .array(notes.map(JSONValue.string)),
            .array(
                parked.map { mutation in
                    [
                        "seq": .int(mutation.seq), "model": .string(mutation.model),
                        "id": .string(mutation.id.text),
                        "reason": .string(mutation.failure?.message ?? ""),
                    ]
                }),
        ]
    }
    func text(_ style: Style) -> String {
        var text = "\(Sanitizer.show(file)): ok, \(Quantity.count(models, "model"))\n"
        if parked.isEmpty { return text }
        text += "\(Quantity.count(parked.count, "queued change")) would be kept and not sent:\n"
        for mutation in parked.prefix(10) {
            text += "  \(mutation.seq) \(Sanitizer.show(mutation.failure?.message ?? ""))\n"
        }
        if parked.count > 10 { text += "  and \(parked.count - 10) more\n" }
        return text
    }
}
