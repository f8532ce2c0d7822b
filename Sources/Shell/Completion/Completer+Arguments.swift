internal import Records

extension Completer {
    /// Candidates for a word that is neither an option nor part of a clause.
    func argument(
        of name: CommandName, _ current: String, _ typed: TypedCommand
    ) -> Completions {
        let place = typed.words.count
        switch name {
        case .list, .count, .watch:
            if place == 0 { return models(current) }
            return clauses(current, typed)
        case .get, .delete: return keys(current, typed)
        case .create:
            return place == 0 ? models(current) : items(current, typed, from: 1)
        case .update: return update(current, typed)
        case .importRecords:
            let isFile = place == 1 || typed.options.contains(.all)
            return isFile ? files(current) : place == 0 ? models(current) : .none
        case .exportRecords: return models(current, except: typed.words)
        case .sync: return sync(current, typed)
        case .log:
            if place == 0 { return models(current).adding(clauses(current, typed)) }
            if place == 1 { return ids(current, typed).adding(clauses(current, typed)) }
            return clauses(current, typed)
        case .queue: return queue(current, typed)
        case .conflicts: return conflicts(current, typed)
        case .quarantine:
            if place == 0 { return actions(of: name, current) }
            return numbers(data.quarantineNumbers(limit: Self.idLimit), current, typed)
        case .schema: return schema(current, typed)
        case .config: return config(current, typed)
        case .context:
            if place == 0 { return actions(of: name, current) }
            let isKnown = place == 1 && ["use", "remove"].contains(typed.words[0])
            return isKnown ? Completions(matching(current, data.contexts)) : .none
        case .plugin: return plugin(current, typed)
        case .auth, .completion:
            return place == 0 ? actions(of: name, current) : .none
        case .help:
            return place == 0
                ? Completions(matching(current, CommandName.visible.map(Self.candidate))) : .none
        case .source: return place == 0 ? files(current) : .none
        case .set: return set(current, typed)
        case .initialise: return place == 0 ? files(current) : .none
        case .undo, .status, .trust, .doctor, .history, .exit, .complete: return .none
        }
    }
}

// MARK: - Records

extension Completer {
    func models(_ current: String, except taken: [String] = []) -> Completions {
        let models = data.schema?.models.filter { !taken.contains($0.name) } ?? []
        return Completions(
            matching(current, models.map { Candidate($0.name, "\($0.fields.count) fields") }))
    }

    private func clauses(_ current: String, _ typed: TypedCommand) -> Completions {
        Completions(matching(current, typed.clausesLeft))
    }

    /// Ids of the command's model that are not there yet; items for a composite key.
    private func ids(_ current: String, _ typed: TypedCommand) -> Completions {
        guard let model = typed.model(data) else { return .none }
        guard !model.hasCompositeKey else { return items(current, typed, from: 1, only: model.key) }
        let taken = typed.words.dropFirst()
        let found = data.ids(of: model, prefix: current, limit: Self.idLimit)
        return Completions(found.filter { !taken.contains($0.value) })
    }

    private func keys(_ current: String, _ typed: TypedCommand) -> Completions {
        if typed.words.isEmpty { return models(current) }
        if typed.hasClause { return clauses(current, typed) }
        return ids(current, typed).adding(clauses(current, typed))
    }

    private func update(_ current: String, _ typed: TypedCommand) -> Completions {
        guard !typed.words.isEmpty else { return models(current) }
        if typed.has(.where) {
            return typed.has(.set) ? items(current, typed, from: 1) : clauses(current, typed)
        }
        let words = typed.words.dropFirst()
        if words.isEmpty { return ids(current, typed).adding(clauses(current, typed)) }
        let items = items(current, typed, from: 1)
        guard !words.contains(where: \.looksLikeItem), !current.looksLikeItem else { return items }
        // Ids first, but a name that is being typed is a field's.
        return items.adding(ids(current, typed))
    }

    private func sync(_ current: String, _ typed: TypedCommand) -> Completions {
        let models = models(current, except: typed.words)
        return typed.words.isEmpty ? actions(of: .sync, current).adding(models) : models
    }
}

// MARK: - Lists that wait for a person

extension Completer {
    func actions(of name: CommandName, _ current: String) -> Completions {
        Completions(matching(current, name.actions.map { Candidate($0) }))
    }

    private func numbers(
        _ numbers: [Candidate], _ current: String, _ typed: TypedCommand
    ) -> Completions {
        let isSeveral = ["retry", "drop"].contains(typed.words[0])
        guard typed.words.count == 1 || isSeveral, typed.words[0] != "list" else { return .none }
        let taken = typed.words.dropFirst()
        var found = numbers.filter { !taken.contains($0.value) }
        if isSeveral, taken.isEmpty { found.append(Candidate("all", "every one")) }
        return Completions(matching(current, found))
    }

    private func queue(_ current: String, _ typed: TypedCommand) -> Completions {
        if typed.words.isEmpty { return actions(of: .queue, current) }
        return numbers(data.queueNumbers(limit: Self.idLimit), current, typed)
    }

    private func conflicts(_ current: String, _ typed: TypedCommand) -> Completions {
        switch typed.words.count {
        case 0: return actions(of: .conflicts, current)
        case 1: return models(current)
        case 2:
            return Completions(
                matching(current, data.conflicts(of: typed.words[1], limit: Self.idLimit)))
        default:
            return typed.words[0] == "resolve" ? items(current, typed, from: 3) : .none
        }
    }
}

// MARK: - Set-up

extension Completer {
    private func schema(_ current: String, _ typed: TypedCommand) -> Completions {
        switch typed.words.first {
        case nil: actions(of: .schema, current)
        case "show" where typed.words.count == 1: models(current)
        case "check" where typed.words.count == 1: files(current)
        default: .none
        }
    }

    private func config(_ current: String, _ typed: TypedCommand) -> Completions {
        switch typed.words.count {
        case 0: return actions(of: .config, current)
        case 1 where typed.words[0] != "path":
            return Completions(matching(current, data.settings))
        case 2 where typed.words[0] == "set" && typed.words[1].hasSuffix("sync"):
            let modes = SyncMode.allCases.map { Candidate($0.rawValue) }
            return Completions(matching(current, modes))
        default: return .none
        }
    }

    private func plugin(_ current: String, _ typed: TypedCommand) -> Completions {
        switch typed.words.first {
        case nil: actions(of: .plugin, current)
        case "info" where typed.words.count == 1: Completions(matching(current, data.backends))
        case "test": files(current)
        default: .none
        }
    }

    private func set(_ current: String, _ typed: TypedCommand) -> Completions {
        switch (typed.words.count, typed.words.first) {
        case (0, _):
            Completions(matching(current, SetRequest.keys.map { Candidate($0) }))
        case (1, "output"):
            Completions(matching(current, OutputFormat.allCases.map { Candidate($0.rawValue) }))
        case (1, "color"):
            Completions(matching(current, ColorChoice.allCases.map { Candidate($0.rawValue) }))
        case (1, _): Completions(matching(current, [Candidate("on"), Candidate("off")]))
        default: .none
        }
    }
}

extension SetRequest {
    /// What can be set for the session.
    package static let keys = ["output", "color", "offline", "quiet", "verbose", "meta", "pager"]
}

extension Completions {
    func adding(_ other: Completions) -> Completions {
        Completions(
            candidates + other.candidates, goesOn: goesOn || (candidates.isEmpty && other.goesOn),
            includesFiles: includesFiles || other.includesFiles)
    }
}
