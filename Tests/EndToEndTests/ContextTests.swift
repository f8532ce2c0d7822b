import JSON
import Platform
import Testing

@Suite struct `The command context` {
    private func workspace(_ arguments: String...) throws -> SatchelHome {
        let home = try SatchelHome()
        let run = try home.run(["init"] + arguments)
        try #require(run.code == 0, "\(run)")
        return home
    }

    @Test func `lists contexts with what they have queued`() throws {
        let home = try workspace("--set", "path=remote")
        #expect(try home.satchel("create", "Task", "title=x").code == 0)
        let added = try home.satchel(
            "context", "add", "spare", "--backend", "folder", "--set", "path=other")
        #expect(added.code == 0, "\(added)")
        let list = try home.satchel("context", "-o", "json").json()
        #expect(
            list == [
                ["name": "default", "backend": "folder", "current": true, "queued": 1],
                ["name": "spare", "backend": "folder", "current": false, "queued": 0],
            ])
        #expect(try home.satchel("context", "list", "-o", "id").output == "default\nspare\n")
    }

    @Test func `goes over to another context, which has a store of its own`() throws {
        let home = try workspace("--set", "path=remote")
        #expect(try home.satchel("create", "Task", "title=x").code == 0)
        _ = try home.satchel(
            "context", "add", "spare", "--backend", "folder", "--set", "path=other")
        let used = try home.satchel("context", "use", "spare")
        #expect(used.code == 0, "\(used)")
        #expect(try home.satchel("count", "Task").output == "0\n")
        #expect(try home.satchel("count", "Task", "-c", "default").output == "1\n")
        #expect(try home.satchel("sync", "-o", "json").code == 0)
        #expect(Files.isDirectory(home.file("other")))
        #expect(!Files.exists(home.file("remote")))
    }

    @Test func `delivers what was written before there was a backend`() throws {
        let home = try workspace()
        #expect(try home.satchel("create", "Task", "title=x").code == 0)
        let elsewhere = try home.satchel(
            "context", "add", "team", "--backend", "folder", "--set", "path=remote")
        #expect(elsewhere.code == 1, "\(elsewhere)")
        #expect(elsewhere.errors.contains("default"))
        let added = try home.satchel(
            "context", "add", "default", "--backend", "folder", "--set", "path=remote")
        #expect(added.code == 0, "\(added)")
        #expect(try home.satchel("sync", "-o", "json").json()["pushed"] == 1)
    }

    @Test func `removes nothing undelivered without consent, then all of it`() throws {
        let home = try workspace("--set", "path=remote")
        _ = try home.satchel(
            "context", "add", "spare", "--backend", "folder", "--set", "path=other")
        #expect(try home.satchel("context", "use", "spare").code == 0)
        #expect(try home.satchel("create", "Task", "title=x").code == 0)
        let asked = try home.satchel("context", "remove", "spare")
        #expect(asked.code == 9, "\(asked)")
        #expect(asked.errors.contains("1 undelivered change"))
        #expect(asked.errors.contains("--yes"))
        #expect(try home.satchel("count", "Task").output == "1\n")
        let removed = try home.satchel("context", "remove", "spare", "--yes")
        #expect(removed.code == 0, "\(removed)")
        #expect(!Files.exists(home.file(".satchel/spare.sqlite")))
        #expect(try home.satchel("context", "-o", "id").output == "default\n")
        #expect(try home.satchel("count", "Task").output == "0\n")
    }

    struct Mistake: CustomTestStringConvertible {
        var arguments: [String]
        var code: Int32
        var says: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let mistakes = [
        Mistake(arguments: ["use", "defualt"], code: 2, says: "did you mean \"default\"?"),
        Mistake(arguments: ["remove", "nope"], code: 2, says: "there is no context \"nope\""),
        Mistake(arguments: ["add", "default", "--backend", "x"], code: 1, says: "already"),
        Mistake(arguments: ["add", "a/b", "--backend", "x"], code: 2, says: "no name"),
        Mistake(arguments: ["add", "b"], code: 2, says: "--backend is missing"),
        Mistake(arguments: ["add", "b", "--backend", "folder"], code: 2, says: "path=DIR"),
    ]

    @Test(arguments: mistakes) func `tells mistakes and changes nothing`(_ mistake: Mistake) throws
    {
        let home = try workspace("--set", "path=remote")
        let before = try home.read("satchel.json")
        let run = try home.run(["context"] + mistake.arguments)
        #expect(run.code == mistake.code, "\(run)")
        #expect(run.errors.contains(mistake.says), "\(run)")
        #expect(try home.read("satchel.json") == before)
    }
}

@Suite struct `The command config` {
    private func workspace() throws -> SatchelHome {
        let home = try SatchelHome()
        let run = try home.satchel("init", "--set", "path=remote")
        try #require(run.code == 0, "\(run)")
        return home
    }

    @Test func `reads and changes one setting, and keeps the comments`() throws {
        let home = try workspace()
        #expect(try home.satchel("config", "get", "contexts.default.sync").output == "auto\n")
        #expect(try home.satchel("config", "set", "sync", "manual").code == 0)
        #expect(try home.satchel("config", "get", "sync").output == "manual\n")
        #expect(try home.read("satchel.json").contains("// The models."))
        #expect(
            try home.satchel("config", "path").output == "\(home.path)/satchel.json\n")
    }

    @Test func `lists every setting by its dotted key`() throws {
        let run = try workspace().satchel("config", "-o", "json")
        #expect(
            try run.json() == [
                ["key": "schema", "value": "schema.graphql"],
                ["key": "contexts.default.backend", "value": "folder"],
                ["key": "contexts.default.config.path", "value": "remote"],
                ["key": "contexts.default.sync", "value": "auto"],
            ])
    }

    @Test func `shows a secret only where exact data is asked for`() throws {
        let home = try workspace()
        try home.write(
            "satchel.json",
            """
            {contexts: {default: {backend: "folder", secrets: ["token"],
                config: {path: "remote", token: "s3cret"}}}}
            """)
        #expect(try home.satchel("config").output.contains("s3cret") == false)
        #expect(try home.satchel("config", "get", "config.token").output == "••••••\n")
        #expect(
            try home.satchel("config", "get", "config.token", "-o", "json").output
                == "\"s3cret\"\n")
    }

    @Test(arguments: ["config.token", "contexts.default.config.token"])
    func `asks before it writes a secret as plain text`(_ key: String) throws {
        let home = try VaultPlugin.home()
        let before = try home.read("satchel.json")
        let asked = try home.satchel("config", "set", key, "s3cret-word")
        #expect(asked.code == 9, "\(asked)")
        #expect(asked.errors.contains("satchel auth login"), "\(asked)")
        #expect(asked.errors.contains("--yes"), "\(asked)")
        let dry = try home.satchel("config", "set", key, "s3cret-word", "--dry-run")
        #expect(dry.code == 0, "\(dry)")
        #expect(!(asked.errors + dry.errors).contains("s3cret-word"))
        let whole = try home.satchel(
            "config", "set", "contexts.default.config", "{\"token\":\"s3cret-word\"}")
        #expect(whole.code == 9, "\(whole)")
        #expect(try home.read("satchel.json") == before)
        #expect(try home.satchel("config", "set", key, "s3cret-word", "--yes").code == 0)
        #expect(try home.read("satchel.json").contains("s3cret-word"))
        // What is no secret is written without a word.
        let other = try home.satchel("config", "set", "config.url", "https://example.org")
        #expect(other.code == 0 && other.errors == "", "\(other)")
    }

    @Test func `asks before it writes what satchel json itself calls a secret`() throws {
        let home = try workspace()
        try home.write(
            "satchel.json",
            "{contexts: {default: {backend: \"folder\", secrets: [\"token\"], config: {path: \"r\"}}}}"
        )
        let asked = try home.satchel("config", "set", "config.token", "s3cret-word")
        #expect(asked.code == 9, "\(asked)")
        #expect(!(try home.read("satchel.json")).contains("s3cret-word"))
    }

    @Test func `warns of a secret among the settings of a new context`() throws {
        let home = try VaultPlugin.home()
        let added = try home.satchel(
            "context", "add", "work", "--backend", "vault", "--set", "token=s3cret-word", "--set",
            "url=https://example.org")
        #expect(added.code == 0, "\(added)")
        #expect(added.errors.contains("token is a secret"), "\(added)")
        #expect(!added.errors.contains("url is a secret"), "\(added)")
        #expect(!added.errors.contains("s3cret-word"), "\(added)")
    }

    @Test func `refuses a value that does not fit, and keeps the file`() throws {
        let home = try workspace()
        let before = try home.read("satchel.json")
        let run = try home.satchel("config", "set", "sync", "sometimes")
        #expect(run.code == 2, "\(run)")
        #expect(run.errors.contains("auto, manual"), "\(run)")
        #expect(try home.read("satchel.json") == before)
        #expect(try home.satchel("config", "get", "snyc").code == 2)
        #expect(try home.satchel("config", "get", "models.Task.filter").code == 1)
    }

    @Test func `trusts what it writes itself, and nothing else with it`() throws {
        let home = try workspace()
        #expect(try home.satchel("config", "set", "sync", "manual").code == 0)
        #expect(try home.satchel("sync").code == 0)
        let text = try home.read("satchel.json")
        try home.write("satchel.json", text + "// changed by somebody\n")
        #expect(try home.satchel("sync").code == 9)
        let set = try home.satchel("config", "set", "sync", "auto")
        #expect(set.code == 0)
        #expect(set.errors.contains("satchel trust"), "\(set)")
        #expect(try home.satchel("sync").code == 9)
    }
}

@Suite struct `The command trust` {
    @Test func `shows every program that would run, and asks`() throws {
        let home = try SatchelHome()
        try home.write("schema.graphql", "type A @model { id: ID! n: Int }\n")
        try home.write(
            "satchel.json",
            """
            {contexts: {default: {backend: "folder", config: {path: "remote"},
                secret_command: "./secrets"}, gone: {backend: "missing"}},
             models: {A: {conflict: {command: "./merge"}}},
             hooks: {before_create: "./check"}}
            """)
        #expect(try home.satchel("sync").code == 9)
        let shown = try home.satchel("trust", "-o", "json")
        #expect(shown.code == 9, "\(shown)")
        let settings = try JSONValue.parse(shown.output).elements?.compactMap {
            $0["setting"]?.text
        }
        #expect(
            settings == [
                "contexts.default.backend", "contexts.default.secret_command",
                "contexts.gone.backend", "models.A.conflict", "hooks.before_create",
            ])
        #expect(shown.errors.contains("--yes"))
        try home.write("secrets", "#!/bin/sh\necho token=abc\n", mode: 0o755)
        #expect(try home.satchel("trust", "--yes").code == 0)
        let sync = try home.satchel("sync")
        #expect(sync.code == 0, "\(sync)")
        #expect(try home.satchel("trust").errors.contains("trusted already"))
    }

    @Test func `lets a workspace without foreign programs read and write all the same`() throws {
        let home = try SatchelHome()
        try home.write("schema.graphql", "type A @model { id: ID! n: Int }\n")
        try home.write("satchel.json", "{contexts: {default: {backend: \"folder\"}}}\n")
        #expect(try home.satchel("create", "A", "n=1").code == 0)
        #expect(try home.satchel("count", "A").output == "1\n")
    }
}
