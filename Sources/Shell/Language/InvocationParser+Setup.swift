extension InvocationParser {
    func schema(graph: String?) throws(ShellError) -> SchemaRequest {
        var rest = self
        let action = rest.action(or: "show")
        switch action {
        case "show":
            try rest.expectWords(atMost: 1)
            return .show(model: rest.words.first)
        case "check": return .check(InputSource(try rest.only("the FILE")))
        case "pull":
            try rest.expectWords(atMost: 0)
            return .pull
        case "graph":
            try rest.expectWords(atMost: 0)
            guard let graph else { return .graph(.mermaid) }
            return .graph(try choice(.output, graph, GraphFormat.self))
        default: throw .unknownAction(action, of: .schema)
        }
    }

    mutating func initialise() throws(ShellError) -> Command {
        try expectWords(atMost: 1)
        var request = InitRequest()
        request.directory = words.first
        let starts = settings.filter { [.demo, .schema, .amplify].contains($0.option) }
        guard starts.count <= 1 else {
            throw misused("--demo, --schema and --amplify exclude each other")
        }
        switch starts.first {
        case (.schema, let file)?: request.start = .schema(file)
        case (.amplify, let file)?: request.start = .amplify(file)
        case (_, _)?: request.start = .demo
        case nil: break
        }
        request.backend = value(.backend)
        request.settings = try pairs(.set)
        return .initialise(request)
    }

    mutating func config() throws(ShellError) -> ConfigRequest {
        guard !words.isEmpty else { return .list }
        let action = words.removeFirst()
        switch action {
        case "get": return .get(try only("the KEY"))
        case "set":
            let key = try first("the KEY")
            guard words.count == 1 else {
                throw misused(words.isEmpty ? "the VALUE is missing" : "the VALUE is one word")
            }
            return .set(key, words[0])
        case "path":
            try expectWords(atMost: 0)
            return .path
        default: throw .unknownAction(action, of: .config)
        }
    }

    mutating func context() throws(ShellError) -> ContextRequest {
        let action = action(or: "list")
        try expectSettings(action == "add" ? [.backend, .set] : [], with: action)
        switch action {
        case "list":
            try expectWords(atMost: 0)
            return .list
        case "use": return .use(try only("the NAME"))
        case "remove": return .remove(try only("the NAME"))
        case "add":
            let name = try only("the NAME")
            guard let backend = value(.backend) else { throw misused("--backend is missing") }
            return .add(name: name, backend: backend, settings: try pairs(.set))
        default: throw .unknownAction(action, of: .context)
        }
    }

    mutating func auth() throws(ShellError) -> Command {
        let action = action(or: "status")
        try expectWords(atMost: 0)
        guard let request = AuthRequest(rawValue: action) else {
            throw .unknownAction(action, of: .auth)
        }
        return .auth(request)
    }

    mutating func plugin() throws(ShellError) -> PluginRequest {
        let action = action(or: "list")
        try expectSettings(
            action == "test" ? [.level, .set] : action == "new" ? [.language] : [], with: action)
        switch action {
        case "list":
            try expectWords(atMost: 0)
            return .list
        case "info": return .info(try only("the NAME"))
        case "test":
            guard !words.isEmpty else { throw misused("the COMMAND is missing") }
            let level = try value(.level).map { (name) throws(ShellError) in
                try choice(.level, name, PluginRequest.Level.self)
            }
            return .test(words, level ?? .sync, settings: try pairs(.set))
        case "new":
            let name = try only("the NAME")
            guard let language = value(.language) else { throw misused("--language is missing") }
            return .new(name, try choice(.language, language, PluginRequest.Language.self))
        default: throw .unknownAction(action, of: .plugin)
        }
    }

    func history() throws(ShellError) -> Command {
        try expectWords(atMost: 1)
        guard let word = words.first else { return .history(count: nil) }
        return .history(count: Int(try number(word)))
    }

    func set() throws(ShellError) -> Command {
        if words.isEmpty { return .set(nil) }
        guard words.count == 2 else {
            throw misused(words.count == 1 ? "the VALUE is missing" : "the VALUE is one word")
        }
        return .set(SetRequest(words[0], words[1]))
    }

    mutating func completion() throws(ShellError) -> CompletionShell {
        try .named(try only("the shell, bash or zsh,"), what: "the shell")
    }

    mutating func complete() throws(ShellError) -> CompleteRequest {
        let shell = try CompletionShell.named(try first("SHELL"), what: "the shell")
        let word = try first("CWORD")
        guard let current = Int(word), (0...words.count).contains(current) else {
            throw misused("CWORD is an index into WORDS")
        }
        return CompleteRequest(shell: shell, words: words, current: current)
    }
}
