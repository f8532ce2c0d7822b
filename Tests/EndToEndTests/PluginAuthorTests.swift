import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `The author of a backend` {
    private let home: SatchelHome

    init() throws { home = try SatchelHome() }

    @Test(arguments: ["python", "swift"])
    func `goes from plugin new to a synced record`(language: String) throws {
        let schema = "type Note @model { title: String! }"
        try home.write("schema.graphql", schema)
        let made = try home.satchel("init", "work", "--schema", "schema.graphql")
        try #require(made.code == 0, "\(made)")
        let new = try home.satchel("plugin", "new", "mine", "--language", language, in: "work")
        #expect(new.code == 0 && new.output.hasSuffix("/work/plugins/satchel-backend-mine\n"))
        if language == "swift" {
            // The compiler is where this machine has it.
            let path = try #require(Environment.current()["PATH"])
            let built = try home.shell(
                "work/plugins/satchel-backend-mine", with: ["PATH": path])
            try #require(built.code == 0, "\(built)")
        }
        let added = try home.satchel(
            "context", "add", "trial", "--backend", "mine", "--set", "path=remote.json",
            in: "work")
        try #require(added.code == 0, "\(added)")
        #expect(try home.satchel("context", "use", "trial", in: "work").code == 0)
        let created = try home.satchel("create", "Note", "title=Hello", in: "work")
        try #require(created.code == 0, "\(created)")
        let synced = try home.satchel("sync", in: "work")
        try #require(synced.code == 0, "\(synced)")
        #expect(try home.read("work/remote.json").contains("Hello"))
    }

    @Test func `gets to a synced record by the first lines of the guide`() throws {
        let guide = Path.normalise(Path.join(Path.parent(#filePath), "../../plugins/README.md"))
        let text = String(decoding: try Files.read(guide), as: UTF8.self)
        let lines = text.split(separator: "\n").drop { $0 != "```sh" }.dropFirst()
        let script = lines.prefix { $0 != "```" }.joined(separator: "\n")
        let run = try home.shell("set -e\n" + script)
        #expect(run.code == 0, "\(run)")
        #expect(run.errors.contains("27 ok, 0 failed"), "\(run)")
        #expect(run.lines.last?.contains("Hello") == true, "\(run)")
    }

    @Test func `is told what is wrong, by exit code too`() throws {
        let test = ["plugin", "test", "./satchel-backend-mine", "--set", "path=remote.json"]
        #expect(try home.satchel("plugin", "new", "mine", "--language", "python").code == 0)
        let good = try home.run(test)
        #expect(good.code == 0 && good.output.contains("ok a stale base conflicts\n"), "\(good)")
        let verdicts = try home.run(test + ["-o", "json"]).json().elements ?? []
        #expect(verdicts.count == 30)
        #expect(verdicts.first?.members?.keys == ["check", "level", "result", "detail"])
        let spoiled = try home.read("satchel-backend-mine").split(separator: "\n").map {
            $0.contains(#""ping": lambda"#) ? #"           "shutdown": lambda _: {}}"# : $0
        }
        try home.write("satchel-backend-mine", spoiled.joined(separator: "\n") + "\n", mode: 0o755)
        let bad = try home.run(test)
        #expect(bad.code == 1 && bad.output.contains("FAILED ping is answered: "), "\(bad)")
        #expect(bad.output.contains(#"    > {"jsonrpc":"2.0","id""#))
    }

    @Test func `hears why a plugin cannot be started`() throws {
        let missing = try home.satchel("plugin", "test", "./nothing")
        #expect(missing.code == 7 && missing.output.isEmpty, "\(missing)")
        #expect(try home.satchel("plugin", "new", "mine", "--language", "sh").code == 0)
        let unset = try home.satchel("plugin", "test", "./satchel-backend-mine")
        #expect(unset.code == 7 && unset.errors.contains("--set KEY=VALUE"), "\(unset)")
        #expect(try home.satchel("plugin", "new", "mine", "--language", "sh").code == 1)
        #expect(try home.satchel("plugin", "new", "../mine", "--language", "sh").code == 2)
        #expect(try home.satchel("plugin", "new", "mine", "--language", "basic").code == 2)
    }

    @Test func `begins with a script that reads`() throws {
        #expect(try home.satchel("plugin", "new", "mine", "--language", "sh").code == 0)
        try home.write("data/Note.ndjson", "{\"id\":\"1\",\"title\":\"a\"}\n{\"id\":\"2\"}\n")
        let result = try home.satchel(
            "plugin", "test", "./satchel-backend-mine", "--level", "read", "--set", "path=data")
        #expect(result.code == 0 && result.output.contains("ok paging is complete\n"), "\(result)")
    }

    @Test func `sees a plugin that only reads bring the records of the workspace`() throws {
        try home.write("schema.graphql", "type Bird @model { id: ID! name: String! eggs: Int }")
        #expect(try home.satchel("init", "work", "--schema", "schema.graphql").code == 0)
        #expect(
            try home.satchel("plugin", "new", "mine", "--language", "sh", in: "work").code == 0)
        let test = [
            "plugin", "test", "./plugins/satchel-backend-mine", "--set", "path=data",
        ]
        let (known, strange) = (#""name":"b""#, #""eggs":"b""#)
        let records = "{\"id\":\"1\",\"name\":\"a\"}\n{\"id\":\"2\",\(known)}\n"
        try home.write("work/data/Bird.ndjson", records)
        for level in ["read", "sync"] {
            let good = try home.run(test + ["--level", level], in: "work")
            #expect(good.code == 0, "\(good)")
            #expect(good.output.contains("ok paging is complete\n"), "\(good)")
            #expect(good.output.contains("ok records are as their model says\n"), "\(good)")
        }
        try home.write("work/data/Bird.ndjson", records.replacing(known, with: strange))
        let bad = try home.run(test, in: "work")
        #expect(bad.code == 1, "\(bad)")
        #expect(bad.output.contains("FAILED records are as their model says: "), "\(bad)")
        // Elsewhere nobody says which models there are, and the kit says what it looked for.
        let elsewhere = try home.run([
            "plugin", "test", "work/plugins/satchel-backend-mine", "--set", "path=work/data",
        ])
        #expect(elsewhere.output.contains("Note is the kit's own model"), "\(elsewhere)")
        // A workspace in which something is wrong is not what is tested.
        try home.write("work/schema.graphql", "type")
        #expect(try home.run(test, in: "work").output.contains("Note is the kit's own model"))
        try home.write("work/satchel.json", "{")
        #expect(try home.run(test, in: "work").output.contains("Note is the kit's own model"))
    }

    @Test func `is told that a Swift backend is to be built first`() throws {
        #expect(try home.satchel("plugin", "new", "mine", "--language", "swift").code == 0)
        let test = ["plugin", "test", "./satchel-backend-mine", "--set", "path=remote.json"]
        // This home has no compiler in its PATH; one that is slow ends the same way.
        let unbuilt = try home.run(test)
        #expect(unbuilt.code == 7, "\(unbuilt)")
        #expect(unbuilt.errors.contains("building: run it once by hand"), "\(unbuilt)")
    }

    @Test func `is told where secrets are asked for`() throws {
        #expect(try home.satchel("plugin", "new", "mine", "--language", "python").code == 0)
        let asking = try home.read("satchel-backend-mine").replacing(
            "METHODS = {",
            with: """
                def configure(params):
                    if "token" in params["answers"]: return {"done": True, "config": {}}
                    return {"key": "token", "label": "Token", "secret": True}
                METHODS = {"configure": configure,
                """
        ).replacing(
            "    global path, models\n",
            with: """
                    global path, models
                    if not params["secrets"]: raise Refused("auth", "who are you?")

                """)
        try home.write("satchel-backend-mine", asking, mode: 0o755)
        let test = ["plugin", "test", "./satchel-backend-mine", "--set", "path=remote.json"]
        let refused = try home.run(test)
        #expect(refused.code == 7, "\(refused)")
        #expect(refused.errors.contains("standard input ended before token"), "\(refused)")
        #expect(refused.errors.contains("read from a pipe, a line each"), "\(refused)")
        let given = try home.shell("echo hunter2 | satchel " + test.joined(separator: " "))
        #expect(given.code == 0, "\(given)")
    }
}
