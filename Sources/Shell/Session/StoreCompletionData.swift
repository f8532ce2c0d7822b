internal import JSON
internal import Outbox
internal import Platform
internal import Plugins
internal import Records
internal import Storage
internal import Sync

/// What completion knows of the open workspace: local data only, and silence on any error.
struct StoreCompletionData: CompletionData {
    private let session: Session
    private let open: OpenWorkspace?

    init(_ session: Session) {
        self.session = session
        do throws(ShellError) { open = try session.workspace() } catch { open = nil }
    }

    var schema: Schema? { open?.schema }

    var contexts: [Candidate] {
        (open?.workspace.config.contexts ?? []).map {
            Candidate($0.name, $0.backend ?? "")
        }
    }

    var backends: [Candidate] {
        quietly([]) { () throws(ShellError) in
            try session.locator(open?.workspace).list()
                .filter { $0.problem == nil && !$0.isShadowed }
                .map { Candidate($0.name, $0.path) }
        }
    }

    var settings: [Candidate] {
        quietly([]) { () throws(ShellError) in
            try open?.workspace.settings().map {
                Candidate($0.key, $0.value.text ?? $0.value.serialized())
            } ?? []
        }
    }

    func ids(of model: Model, prefix: String, limit: Int) -> [Candidate] {
        guard let open else { return [] }
        return quietly([]) { () throws(StoreError) in
            var found: [Candidate] = []
            for id in try open.store.ids(model, prefix: prefix, limit: limit) {
                found.append(try candidate(id, model, open))
            }
            guard found.count < limit, !prefix.isEmpty, let label = label(of: model) else {
                return found
            }
            // By label only as far as an index or a short scan goes: Tab answers at once.
            let query = Query(
                model: model.name, filter: .test(Filter.Path([], label), .startsWith(prefix)),
                limit: limit - found.count)
            guard try open.store.count(Query(model: model.name, limit: 20_001)) <= 20_000 else {
                return found
            }
            for id in try open.store.ids(query)
            where !found.contains(where: { $0.value == id.text }) {
                found.append(try candidate(id, model, open))
            }
            return found
        }
    }

    private func candidate(_ id: RecordID, _ model: Model, _ open: OpenWorkspace)
        throws(StoreError) -> Candidate
    {
        let record = try open.store.record(model, id)?.record
        let help = label(of: model).flatMap { record?[$0]?.text } ?? ""
        return Candidate(id.text, help)
    }

    /// The field that tells a person which record it is.
    private func label(of model: Model) -> String? {
        let names = ["name", "title", "label", "subject", "email"]
        let texts = model.fields.filter { field in
            !field.isList && !field.isSecret && !model.key.contains(field.name)
                && [.scalar(.string), .scalar(.email)].contains(field.type)
        }
        return texts.first { names.contains($0.name) }?.name ?? texts.first?.name
    }

    func queueNumbers(limit: Int) -> [Candidate] {
        quietly([]) { () throws(StoreError) in
            try open?.store.mutations(states: nil, group: nil, after: 0, limit: limit).map {
                Candidate(String($0.seq), "\($0.state.rawValue) \($0.summary)")
            } ?? []
        }
    }

    func quarantineNumbers(limit: Int) -> [Candidate] {
        quietly([]) { () throws(StoreError) in
            try open?.store.quarantine(limit: limit).map {
                Candidate(String($0.n), "\($0.model) \($0.reason)")
            } ?? []
        }
    }

    func conflicts(of model: String, limit: Int) -> [Candidate] {
        quietly([]) { () throws(StoreError) in
            try open?.outbox.conflicts().filter { $0.model == model }.prefix(limit).map {
                Candidate($0.id.text, $0.message ?? $0.kind.rawValue)
            } ?? []
        }
    }

    func files(prefix: String) -> [Candidate] {
        let (folder, start) =
            prefix.lastIndex(of: "/").map {
                (String(prefix[...$0]), String(prefix[prefix.index(after: $0)...]))
            } ?? ("", prefix)
        return quietly([]) { () throws(SystemError) in
            try Files.list(folder.isEmpty ? "." : folder)
                .filter { $0.hasPrefix(start) && (start.hasPrefix(".") || !$0.hasPrefix(".")) }
                .sorted().map { name in
                    Candidate(folder + name + (Files.isDirectory(folder + name) ? "/" : ""))
                }
        }
    }

    /// Completion never fails aloud.
    private func quietly<T, E: Error>(_ fallback: T, _ body: () throws(E) -> T) -> T {
        do throws(E) { return try body() } catch { return fallback }
    }
}
