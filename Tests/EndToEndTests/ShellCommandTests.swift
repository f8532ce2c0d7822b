import JSON
import Platform
import Testing

@Suite struct `Commands of the shell itself` {
    @Test func `version, as an option and as json`() throws {
        let home = try SatchelHome()
        let run = try home.satchel("--version")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("satchel "), "\(run)")
        let json = try home.satchel("--version", "-o", "json").json()
        #expect(json["version"]?.text.map { "satchel \($0)\n" } == run.output)
    }

    @Test(arguments: [("bash", "satchel.bash"), ("zsh", "_satchel")])
    func `completion prints the file that is installed`(shell: String, file: String) throws {
        let root = Path.parent(Path.parent(Path.parent(#filePath)))
        let text = try Files.read(Path.join(root, "completions/\(file)"))
        let run = try SatchelHome().satchel("completion", shell)
        #expect(run.code == 0)
        #expect(run.output == String(decoding: text, as: UTF8.self))
    }

    @Test func `history lists commands of all sessions, newest last`() throws {
        let home = try SatchelHome()
        #expect(try home.satchel("history").code == 0)
        try home.write(
            ".local/state/satchel/history", "#1\nlist Post\n#2\ncount Post\n#3\nstatus\n",
            mode: 0o600)
        #expect(
            try home.satchel("history", "2").output == "n\tcommand\n2\tcount Post\n3\tstatus\n")
        #expect(
            try home.satchel("history", "1", "-o", "json").json()
                == [["n": 3, "command": "status"]])
    }

    @Test func `set changes the session, and no other`() throws {
        let home = try SatchelHome()
        #expect(try home.satchel("init").code == 0)
        let run = try home.satchel(
            input: "set output json\ncreate Task title=x\nset output default\ncount Task\n")
        #expect(run.code == 0, "\(run)")
        #expect(run.lines.first?.hasPrefix("{\"id\":") == true, "\(run)")
        #expect(run.lines.last == "1", "\(run)")
        #expect(try home.satchel("set", "-o", "json").json().elements?.count == 4)
    }

    @Test(arguments: [
        (["set", "outptu", "json"], "did you mean \"output\"?"),
        (["set", "output", "jsn"], "did you mean \"json\"?"),
        (["set", "meta", "maybe"], "on, off"),
    ])
    func `set tells mistakes`(arguments: [String], says: String) throws {
        let run = try SatchelHome().run(arguments)
        #expect(run.code == 2, "\(run)")
        #expect(run.errors.contains(says), "\(run)")
    }
}

@Suite struct `The command doctor` {
    private func workspace() throws -> SatchelHome {
        let home = try SatchelHome()
        let run = try home.satchel("init", "--set", "path=remote")
        try #require(run.code == 0, "\(run)")
        #expect(try home.satchel("create", "Task", "title=x").code == 0)
        return home
    }

    private func wrong(_ run: Ended) throws -> [String] {
        let findings = try JSONValue.parse(run.output).elements ?? []
        return findings.filter { $0["ok"] == false }.compactMap { $0["check"]?.text }
    }

    @Test func `finds nothing wrong with a workspace in use`() throws {
        let run = try workspace().satchel("doctor", "-o", "json")
        #expect(run.code == 0, "\(run)")
        #expect(try wrong(run) == [])
        let checks = try run.json().elements?.compactMap { $0["check"]?.text }
        #expect(
            checks == [
                "workspace", "schema", "trust", "backend", "permissions", "contexts", "store",
                "records", "queue", "lease", "reach",
            ])
    }

    @Test func `finds what others could read, and how to mend it`() throws {
        let home = try workspace()
        try Files.setMode(home.file(".satchel/default.sqlite"), 0o644)
        let run = try home.satchel("doctor", "-o", "json")
        #expect(run.code == 1, "\(run)")
        #expect(try wrong(run) == ["permissions"])
        #expect(run.output.contains("chmod 600"))
    }

    @Test func `finds a record that is not what its queue says`() throws {
        let home = try workspace()
        let broken = try home.shell(
            """
            sqlite3 .satchel/default.sqlite "UPDATE Task SET title = 'y';
                INSERT INTO dependency VALUES (999, 998)"
            """)
        #expect(broken.code == 0, "\(broken)")
        let run = try home.satchel("doctor", "-o", "json")
        #expect(run.code == 1, "\(run)")
        #expect(try wrong(run) == ["records", "queue"])
    }

    @Test func `finds changes of a context that satchel json no longer has`() throws {
        let home = try workspace()
        try home.write("satchel.json", "{contexts: {team: {backend: \"folder\"}}}\n")
        #expect(try home.satchel("trust", "--yes").code == 0)
        let run = try home.satchel("doctor", "-o", "json")
        #expect(run.code == 1, "\(run)")
        #expect(try wrong(run) == ["contexts"])
        #expect(run.output.contains("1 undelivered change of the context default"))
    }

    @Test func `tells a damaged store from everything else`() throws {
        let home = try workspace()
        try Files.remove(home.file(".satchel/default.sqlite-wal"))
        try home.write(
            ".satchel/default.sqlite", String(repeating: "no database at all ", count: 500),
            mode: 0o600)
        let run = try home.satchel("doctor", "-o", "json")
        #expect(run.code == 8, "\(run)")
        #expect(try wrong(run) == ["store"])
    }

    @Test func `outside of a workspace says just that`() throws {
        let run = try SatchelHome().satchel("doctor", "-o", "json")
        #expect(run.code == 1)
        #expect(try wrong(run) == ["workspace"])
    }

    @Test func `finds mistakes in the schema and a workspace that is not trusted`() throws {
        let home = try workspace()
        try home.write("schema.graphql", "type Task @model { id: ID! x: Nope }\n")
        try home.write("satchel.json", try home.read("satchel.json") + "// changed\n")
        let run = try home.satchel("doctor", "-o", "json")
        #expect(run.code == 1)
        #expect(try wrong(run) == ["schema", "trust"])
    }
}
