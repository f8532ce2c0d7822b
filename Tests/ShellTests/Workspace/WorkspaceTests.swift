import JSON
import Platform
import Shell
import Testing

@Suite struct `A workspace` {
    let folder: ScratchFolder
    let environment: Environment

    init() throws {
        folder = try ScratchFolder()
        environment = Environment(variables: ["HOME": folder.path])
    }

    func make(_ text: String) throws {
        _ = try folder.write("w/satchel.json", text)
        try Files.makeDirectory(folder.file("w/a/b"))
    }

    func open(context: String? = nil) throws -> Workspace {
        try Workspace.open(
            workspace: folder.file("w"), context: context, environment: environment)
    }

    @Test func `is found by option, else by the environment`() throws {
        try make("{}")
        _ = try folder.write("v/satchel.json", "{}")
        #expect(try open().root == folder.file("w"))
        let environment = Environment(variables: ["SATCHEL_WORKSPACE": folder.file("v")])
        #expect(try Workspace.open(environment: environment).root == folder.file("v"))
        let both = try Workspace.open(workspace: folder.file("w"), environment: environment)
        #expect(both.root == folder.file("w"))
    }

    @Test func `that is not there is said so, with what to do`() throws {
        let error = #expect(throws: ShellError.self) {
            try Workspace.open(workspace: folder.file("none"), environment: environment)
        }
        #expect(error?.kind == .workspace)
        #expect(error?.hint?.contains("satchel init") == true)
    }

    @Test func `without contexts keeps to itself`() throws {
        try make("{}")
        let workspace = try open()
        #expect(workspace.context == ContextConfig(name: "default", backend: nil))
        #expect(workspace.storePath == folder.file("w/.satchel/default.sqlite"))
        #expect(workspace.schemaPath == folder.file("w/schema.graphql"))
    }

    static let two = "{ contexts: { a: { backend: 'x' }, b: { backend: 'y' } } } // end"

    @Test func `has one context at work`() throws {
        try make(Self.two)
        #expect(try open().context.name == "a")
        #expect(try open(context: "b").context.name == "b")
        _ = try open().usingContext("b")
        #expect(try open().context.name == "b")
        #expect(try open(context: "a").context.name == "a")
        let error = #expect(throws: ShellError.self) { try open(context: "c") }
        #expect(error?.exitCode == .usage)
        _ = try open().removingContext("b")
        #expect(try open().context.name == "a", "one is left")
    }

    @Test func `never takes another context for one that is gone`() throws {
        try make("{ contexts: { a: { backend: 'x' }, b: { backend: 'y' }, c: { backend: 'z' } } }")
        _ = try open().usingContext("b")
        try make(Self.two.replacing("b:", with: "c:"))
        let error = #expect(throws: ShellError.self) { try open() }
        #expect(error?.kind == .workspace)
    }

    @Test func `keeps its state to itself`() throws {
        try make("{}")
        try open().makeState()
        #expect(try Files.status(folder.file("w/.satchel")).mode == 0o700)
        #expect(try folder.read("w/.satchel/.gitignore") == "*\n")
    }

    @Test func `is made in a folder`() throws {
        let made = try Workspace.create(
            in: folder.file("new"), schema: Array("type A @model { id: ID! }".utf8),
            backend: "folder", config: JSONObject([("path", "../remote")]))
        #expect(made.context.config["path"] == "../remote")
        #expect(try folder.read("new/schema.graphql") == "type A @model { id: ID! }")
        #expect(try folder.read("new/satchel.json").contains("// auto: the prompt"))
        let opened = try Workspace.open(
            workspace: folder.file("new"), environment: environment)
        #expect(opened == made)
        let error = #expect(throws: ShellError.self) {
            try Workspace.create(
                in: folder.file("new"), schema: nil, backend: "x", config: JSONObject())
        }
        #expect(error?.kind == .exists)
    }

    @Test func `changes its file without losing a comment`() throws {
        try make("{\n  // mine\n  contexts: { a: { backend: 'x' } }, // end\n}\n")
        var workspace = try open()
        workspace = try workspace.addingContext(
            "b", backend: "y", settings: JSONObject([("n", 1)]))
        #expect(workspace.config.context("b")?.config["n"] == 1)
        workspace = try workspace.setting("sync", to: "manual")
        #expect(workspace.context.sync == .manual)
        workspace = try workspace.setting("contexts.b.config.port", to: "8080")
        #expect(workspace.config.context("b")?.config["port"] == 8080)
        workspace = try workspace.setting("models.Post.filter", to: "rating >= 3")
        #expect(workspace.config.models.first?.filter == "rating >= 3")
        #expect(try workspace.setting("sync") == "manual")
        let text = try folder.read("w/satchel.json")
        #expect(text.contains("// mine") && text.contains("// end"))
        #expect(try workspace.settings().map(\.key).contains("contexts.b.config.port"))
    }

    @Test func `takes a setting away, and what it leaves empty`() throws {
        let text = "{\n  // mine\n  contexts: { a: { backend: 'x', config: { port: 1 } } },\n}\n"
        try make(text)
        var workspace = try open()
        for (key, value) in [
            ("hooks.before_create", "./check"), ("hooks.after_sync", "./tell"),
            ("models.Post.filter", "rating >= 3"),
        ] {
            workspace = try workspace.setting(key, to: value)
        }
        workspace = try workspace.setting("hooks.before_create", to: "null")
        #expect(workspace.config.hooks.map(\.point) == ["after_sync"])
        workspace = try workspace.setting("hooks.after_sync", to: "null")
        workspace = try workspace.setting("models.Post.filter", to: "null")
        #expect(
            try workspace.settings().map(\.key) == ["contexts.a.backend", "contexts.a.config.port"])
        workspace = try workspace.setting("config.port", to: "null")
        #expect(workspace.context.config.isEmpty)
        #expect(try folder.read("w/satchel.json").contains("// mine"))
        for key in ["contexts.a", "contexts", "backend"] {
            let error = #expect(throws: ShellError.self) { try workspace.setting(key, to: "null") }
            #expect(error?.kind == .usage, "\(key)")
        }
    }

    static let refused = [
        ("sync", "maybe"), ("contexts.a.bakend", "x"), ("syn", "auto"), ("", "x"),
        ("models.Post.conflict", "foo"), ("schema.file", "x"), ("hooks.before_crate", "./check"),
    ]

    @Test(arguments: refused) func `refuses a setting that means nothing`(
        _ key: String, _ value: String
    ) throws {
        try make(Self.two)
        let error = #expect(throws: ShellError.self) { try open().setting(key, to: value) }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains("satchel.json:") == false, "\(error as Any)")
        #expect(try folder.read("w/satchel.json") == Self.two)
    }

    @Test func `takes backend settings as texts or as JSON`() throws {
        let settings = try Workspace.backendSettings(
            [Pair("path", "01"), Pair("port:", "80"), Pair("on:", "true")])
        #expect(settings["path"] == "01" && settings["port"] == 80 && settings["on"] == true)
        #expect(throws: ShellError.self) { try Workspace.backendSettings([Pair("a:", "x")]) }
    }
}
