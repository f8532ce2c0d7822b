internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage

extension Session {
    /// Reads records from a file: all of them or none, unless `--keep-going` says otherwise.
    func importRecords(_ request: ImportRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        let model: Model?
        if let name = request.model { model = try open.model(name) } else { model = nil }
        if let key = request.key { try checkKey(key, model) }
        let hooks = ImportHooks(
            create: try hook("before_create", open), update: try hook("before_update", open))
        let name = request.source.shownName
        let group = identifiers.next()
        var intake = ImportIntake(self, open, group, key: request.key, hooks: hooks)
        let code: ExitCode
        switch request.source {
        case .standardInput:
            if readsCommandsFromInput {
                throw .usage(
                    "standard input holds the commands: \"-\" cannot be read as data",
                    hint: "put the commands in a file: satchel -f FILE")
            }
            let source = DescriptorSource(0, name: name, interrupt: interrupt)
            code = try run(&intake, request, model, source, path: nil, name)
        case .file(let path):
            let file = try written { () throws(SystemError) in try Descriptor.open(path) }
            let source = DescriptorSource(file.number, name: name, interrupt: interrupt)
            code = try run(&intake, request, model, source, path: path, name)
            _ = consume file
        }
        try listing().write(intake.summary, to: output)
        if intake.changedByHooks > 0 {
            console.note("hooks changed \(Quantity.count(intake.changedByHooks, "record"))")
        }
        if options.isDryRun { console.note("nothing was done") }
        let delivered = try deliver(group, request.delivers && !options.isDryRun, open)
        return code.merged(with: delivered)
    }

    private func checkKey(_ key: String, _ model: Model?) throws(ShellError) {
        guard let model else {
            throw .usage("--key needs a model; --all finds records by their ids")
        }
        _ = try fields([key], model)
    }

    private func run(
        _ intake: inout ImportIntake, _ request: ImportRequest, _ model: Model?,
        _ source: any ByteSource, path: String?, _ name: String
    ) throws(ShellError) -> ExitCode {
        var rows = try ImportRows(request, model, intake.open, source, path: path, file: name)
        var progress = console.progress("importing \(name)", clock: clock)
        defer { progress.finish() }
        if request.keepsGoing {
            while try intake.batch(
                &rows, 1_000, isDryRun: options.isDryRun, { progress.advance() },
                onError: { error in
                    progress.finish()
                    console.tell("\(Sanitizer.show(error.message))\n")
                })
            {}
            return intake.summary.failed > 0 ? .partial : .done
        }
        let isDryRun = options.isDryRun
        var approved: [ImportStep] = []
        if intake.hooks.areAny {
            let end = { (error: ShellError) throws(ShellError) in throw error }
            while let row = try rows.next() {
                approved += try intake.consider(row, onRefusal: end)
                progress.advance()
            }
            approved += try intake.askAbout(onRefusal: end)
        }
        do throws(ImportEnd) {
            try intake.open.store.write(
                { () throws(ImportEnd) in
                    do throws(ShellError) {
                        for step in approved { try intake.take(step) }
                        while !intake.hooks.areAny, let row = try rows.next() {
                            try intake.take(row)
                            progress.advance()
                        }
                    } catch {
                        throw .failed(error)
                    }
                    if isDryRun { throw .rehearsed }
                }, mapping: { .failed(ShellError($0)) })
        } catch {
            guard case .failed(var cause) = error else { return .done }
            if cause.hint == nil, cause.kind == .input {
                cause.hint = "nothing was imported; --keep-going takes the rows that are right"
            }
            throw cause
        }
        return .done
    }
}

/// Why an import's transaction is taken back.
enum ImportEnd: Error {
    case failed(ShellError)
    /// `--dry-run`: it went well.
    case rehearsed
}

/// One record of a file, its values checked.
struct ImportRow {
    var model: Model
    var record: JSONObject
    /// Such as `posts.csv:17`.
    var place: String
    /// From an export: what is there already is brought to this state.
    var isExport: Bool
}

/// Reads the rows of an import in whichever form they come.
struct ImportRows {
    private enum Source {
        case records(any RecordReader, Model)
        case export(ExportReader)
    }

    private let source: Source
    private let file: String
    private let open: OpenWorkspace

    init(
        _ request: ImportRequest, _ model: Model?, _ open: OpenWorkspace,
        _ bytes: any ByteSource, path: String?, file: String
    ) throws(ShellError) {
        self.file = file
        self.open = open
        guard let model else {
            source = .export(ExportReader(bytes))
            return
        }
        do throws(ShellError) {
            let found = try ImportSource(format: request.format, path: path, bytes)
            source = .records(
                try found.records(of: model, in: open.schema, map: request.map), model)
        } catch {
            throw error.placed(file, error.line)
        }
    }

    private var line: Int {
        switch source {
        case .records(let reader, _): reader.line
        case .export(let reader): reader.line
        }
    }

    /// The next row; nil at the end.
    ///
    /// Its error names file and line.
    mutating func next() throws(ShellError) -> ImportRow? {
        do throws(ShellError) {
            switch source {
            case .records(let reader, let model):
                guard let record = try reader.next() else { return nil }
                return try row(record, model, isExport: false)
            case .export(let reader):
                guard let (name, record) = try reader.next() else { return nil }
                return try row(record, try open.model(name), isExport: true)
            }
        } catch {
            throw error.placed(file, error.line ?? line)
        }
    }

    private func row(_ record: JSONObject, _ model: Model, isExport: Bool) throws(ShellError)
        -> ImportRow
    {
        do throws(RecordsError) {
            let checked = try model.validate(
                data: record, in: open.schema, keepsUnknown: isExport, allowsReadOnly: isExport)
            return ImportRow(
                model: model, record: checked, place: "\(file):\(line)", isExport: isExport)
        } catch {
            var failure = ShellError(error)
            failure.kind = .input
            throw failure
        }
    }
}

extension ShellError {
    /// The error of a row, its place in front; interruptions have none.
    fileprivate func placed(_ file: String, _ line: Int?) -> ShellError {
        if kind == .interrupted || kind == .store || kind == .busy { return self }
        var placed = self
        placed.line = nil
        placed.message = "\(file):\(line ?? 1): \(message)"
        if kind == .usage || kind == .schema { placed.kind = .input }
        return placed
    }
}
