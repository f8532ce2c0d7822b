extension InvocationParser {
    mutating func sync() throws(ShellError) -> Command {
        switch words.first {
        case "pause", "resume":
            let isPause = words.removeFirst() == "pause"
            try expectWords(atMost: 0)
            if let option = settings.first?.option {
                throw misused("--\(option.rawValue) does not go with pause and resume")
            }
            return .sync(isPause ? .pause : .resume)
        default: break
        }
        var run = SyncRequest.Run()
        if words.first == "pull" || words.first == "push" {
            run.pushes = words[0] == "push"
            run.pulls = !run.pushes
            words.removeFirst()
        }
        run.models = words
        run.isFull = has(.full)
        run.acceptsDeletions = has(.acceptDeletions)
        run.acceptsRemote = has(.acceptRemote)
        if run.isFull, !run.pulls { throw misused("--full does not go with push") }
        return .sync(.run(run))
    }

    mutating func queue() throws(ShellError) -> QueueRequest {
        let action = action(or: "list")
        try expectSettings(
            action == "edit" ? [.data, .unset, .deliver] : action == "retry" ? [.deliver] : [],
            with: action)
        switch action {
        case "list":
            try expectWords(atMost: 0)
            return .list
        case "show": return .show(try number(try only("the number")))
        case "retry": return .retry(try selection(), delivers: has(.deliver))
        case "drop": return .drop(try selection())
        case "edit":
            let number = try number(try first("the number"))
            let values = try values(items: words)
            guard !values.isEmpty else { throw misused("there is nothing to set") }
            return .edit(number, values, delivers: has(.deliver))
        default: throw .unknownAction(action, of: .queue)
        }
    }

    mutating func conflicts() throws(ShellError) -> ConflictsRequest {
        let action = action(or: "list")
        try expectSettings(
            action == "resolve" ? [.local, .remote, .data, .unset, .deliver] : [], with: action)
        switch action {
        case "list":
            try expectWords(atMost: 0)
            return .list
        case "show":
            let model = try first("the MODEL")
            guard !words.isEmpty else { throw misused("the ID is missing") }
            return .show(model: model, keys: words)
        case "resolve": return .resolve(try resolve())
        default: throw .unknownAction(action, of: .conflicts)
        }
    }

    private mutating func resolve() throws(ShellError) -> ConflictsRequest.Resolve {
        let model = try first("the MODEL")
        let (ids, items) = splitAtFirstItem()
        let isSided = has(.local) || has(.remote)
        // Items beside --local or --remote can only name a composite key.
        let keys = isSided ? words : ids
        guard !keys.isEmpty || !items.isEmpty else { throw misused("the ID is missing") }
        let values = try values(items: isSided ? [] : items)
        let choice: ConflictsRequest.Resolve.Choice
        switch (has(.local), has(.remote), values.isEmpty) {
        case (true, false, true): choice = .local
        case (false, true, true): choice = .remote
        case (false, false, false): choice = .values(values)
        case (false, false, true): throw misused("which side? --local, --remote, or ITEM...")
        default: throw misused("--local, --remote and values exclude each other")
        }
        var resolve = ConflictsRequest.Resolve(model: model, keys: keys, choice: choice)
        resolve.delivers = has(.deliver)
        return resolve
    }

    mutating func quarantine() throws(ShellError) -> QuarantineRequest {
        let action = action(or: "list")
        try expectSettings([], with: action)
        switch action {
        case "list":
            try expectWords(atMost: 0)
            return .list
        case "show": return .show(try number(try only("the number")))
        case "retry": return .retry(try selection())
        case "drop":
            guard case .numbers(let numbers) = try selection(allowsAll: false) else { return .list }
            return .drop(numbers)
        default: throw .unknownAction(action, of: .quarantine)
        }
    }

    mutating func watch() throws(ShellError) -> Command {
        try expectWords(atMost: 1)
        var request = WatchRequest(model: words.first)
        request.filter = try filter()
        request.sort = clauses.sort
        request.limit = clauses.limit
        request.since = value(.since)
        request.syncs = has(.sync)
        if request.model == nil, request.filter != nil {
            throw misused("a filter needs a MODEL before it")
        }
        return .watch(request)
    }

    mutating func log() throws(ShellError) -> Command {
        var request = LogRequest(model: words.first)
        request.keys = Array(words.dropFirst())
        request.limit = clauses.limit
        request.since = value(.since)
        return .log(request)
    }

    /// Takes the word that says what to do, or the one that is meant without it.
    mutating func action(or usual: String) -> String {
        words.isEmpty ? usual : words.removeFirst()
    }

    /// Fails at an option that another action of the command takes.
    func expectSettings(_ allowed: [OptionName], with action: String) throws(ShellError) {
        for (option, _) in settings where !allowed.contains(option) {
            throw misused("--\(option.rawValue) does not go with \"\(action)\"")
        }
    }
}
