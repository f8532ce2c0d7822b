internal import JSON
internal import Platform
internal import Records
internal import Storage
internal import Sync

extension Session {
    func quarantine(_ request: QuarantineRequest) throws(ShellError) {
        let open = try workspace()
        switch request {
        case .list:
            let listed = try stored { () throws(StoreError) -> [QuarantineView] in
                try views(open.store)
            }
            try listing().write(listed, to: output)
        case .show(let n):
            let item = try item(n, open)
            try written { () throws(SystemError) in
                // Raw bytes for programs; what could move a terminal's cursor is made visible.
                let isShown = console.terminal.outputIsTerminal
                try output.write((isShown ? Sanitizer.show(item.raw) : item.raw) + "\n")
            }
        case .retry(let selection): try retry(selection, open)
        case .drop(let numbers): try drop(numbers, open)
        }
    }

    /// What a list shows of each item: never the bytes of all at once.
    private func views(_ store: Store) throws(StoreError) -> [QuarantineView] {
        var views: [QuarantineView] = []
        var after = Int64.min
        while true {
            let part = try store.quarantine(after: after, limit: 100)
            guard let last = part.last else { return views }
            views += part.map(QuarantineView.init)
            after = last.n
        }
    }

    private func item(_ n: Int64, _ open: OpenWorkspace) throws(ShellError) -> QuarantineItem {
        let found = try stored { () throws(StoreError) in try open.store.quarantineItem(n) }
        guard let found else {
            throw ShellError(
                .notFound, "the quarantine has no number \(n)",
                hint: "see: satchel quarantine list")
        }
        return found
    }

    /// Asks the backend for the records again and takes in those that are understood now.
    private func retry(_ selection: Selection, _ open: OpenWorkspace) throws(ShellError) {
        var items: [QuarantineItem]?
        if case .numbers(let numbers) = selection {
            var named: [QuarantineItem] = []
            for n in numbers { named.append(try item(n, open)) }
            items = named
        }
        let settings = try syncSettings(open)
        let done = try withBackend(open) {
            (backend) throws(BackendError) -> Result<(tried: Int, released: Int), SyncError> in
            let engine = SyncEngine(
                store: open.store, backend: backend, settings: settings,
                ports: .real(
                    clock, identifiers, interrupt,
                    merging: MergeProgram(open.workspace, open.schema, environment)))
            do throws(SyncError) {
                return .success(try engine.retryQuarantine(items))
            } catch {
                return .failure(error)
            }
        }
        switch done {
        case .success(let (tried, released)):
            try writeNumber("released", released)
            guard released == tried else {
                throw ShellError(
                    .partial,
                    "\(Quantity.count(tried - released, "item")) still cannot be understood",
                    hint: "the schema may need a change; see: satchel quarantine list")
            }
        case .failure(let error): throw ShellError(error)
        }
    }

    private func drop(_ numbers: [Int64], _ open: OpenWorkspace) throws(ShellError) {
        for n in numbers { _ = try item(n, open) }
        try stored { () throws(StoreError) in
            try open.store.write { () throws(StoreError) in
                for n in numbers { try open.store.removeQuarantine(n) }
            }
        }
        if isJSON { try writeNumber("dropped", numbers.count) }
        console.note(
            "dropped \(Quantity.count(numbers.count, "item")); the backend still has the data")
    }
}

extension QuarantineView {
    init(_ item: QuarantineItem) {
        self.init(
            number: item.n, model: item.model, id: item.id?.text, reason: item.reason,
            receivedAt: item.receivedAt, bytes: item.raw.utf8.count)
    }
}
