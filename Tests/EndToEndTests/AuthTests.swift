import Glibc
import JSON
import Platform
import Testing

@Suite struct `Logging in` {
    @Test func `is not undone by what is told of a record that gives the secret back`() throws {
        let home = try VaultPlugin.home()
        #expect(try home.satchel("auth", "login", input: "ann\ns3cret\n").code == 0)
        // The key is missing in the record: it cannot be used.
        let record =
            "{\"id\": \"1\\nwarning: \" + str(secrets.get(\"token\")), "
            + "\"record\": {\"title\": \"t\"}}"
        try home.write(
            ".local/share/satchel/plugins/satchel-backend-vault",
            VaultPlugin.text.replacing("\"records\": []", with: "\"records\": [\(record)]"),
            mode: 0o755)
        let sync = try home.satchel("sync", "Task")
        #expect(sync.errors.contains("warning: quarantined: Task 1␊warning: ••••••"), "\(sync)")
        #expect(!sync.errors.contains("s3cret"), "\(sync)")
    }

    @Test func `takes a line a secret from a pipe, in the order of the status`() throws {
        let home = try VaultPlugin.home()
        let before = try home.satchel("auth", "-o", "json")
        #expect(before.code == 4, "\(before)")
        #expect(
            try JSONValue.parse(before.output) == [
                ["key": "user", "label": "User name", "present": false, "place": nil]
            ])
        #expect(try home.satchel("sync").code == 4)
        let login = try home.satchel("auth", "login", input: "ann\ns3cret\n")
        #expect(login.code == 0, "\(login)")
        let after = try home.satchel("auth", "status", "-o", "json").json()
        #expect(after.elements?.compactMap { $0["key"]?.text } == ["user", "token"])
        #expect(after.elements?.allSatisfy { $0["place"] == "file" } == true)
        let sync = try home.satchel("sync")
        #expect(sync.code == 0, "\(sync)")
        // The setting that is no secret is written where anybody may read it.
        #expect(
            try home.satchel("config", "get", "config.url").output == "https://example.com\n")
        #expect(try home.read("satchel.json").contains("s3cret") == false)
    }

    @Test func `keeps a secret that the backend renews`() throws {
        let home = try VaultPlugin.home()
        #expect(try home.satchel("auth", "login", input: "ann\ns3cret\n").code == 0)
        #expect(try home.satchel("sync").code == 0)
        let folder = home.file(".local/state/satchel/secrets")
        let name = try #require(try Files.list(folder).first { $0.hasSuffix(".json") })
        let kept = try JSONValue.parse(try Files.read(Path.join(folder, name)))
        #expect(kept["secrets"]?["token"] == "s3cret-renewed")
        #expect(kept["secrets"]?["user"] == "ann")
        #expect(try home.satchel("sync").code == 0)
    }

    @Test func `keeps secrets in files that only their owner can read`() throws {
        let home = try VaultPlugin.home()
        #expect(try home.satchel("auth", "login", input: "ann\ns3cret\n").code == 0)
        let folder = home.file(".local/state/satchel/secrets")
        #expect(try Files.status(folder).mode == 0o700)
        for name in try Files.list(folder) {
            #expect(try Files.status(Path.join(folder, name)).mode == 0o600)
        }
    }

    @Test func `keeps nothing that the backend does not take, and does not show it`() throws {
        let home = try VaultPlugin.home()
        let login = try home.satchel("auth", "login", input: "ann\nwr0ng-token\n")
        #expect(login.code == 4, "\(login)")
        #expect(login.errors.contains("no such token"))
        #expect(!login.errors.contains("wr0ng-token"))
        #expect(try home.satchel("auth").code == 4)
        let short = try home.satchel("auth", "login", input: "ann\n")
        #expect(short.code == 4, "\(short)")
        #expect(short.errors.contains("ended before token"))
    }

    @Test func `says that what it keeps could not be checked`() throws {
        let home = try VaultPlugin.home()
        let login = try home.satchel("auth", "login", input: "ann\ns3cret-away\n")
        #expect(login.code == 0, "\(login)")
        #expect(login.errors.contains("2 secrets kept, but not checked"), "\(login)")
        #expect(login.errors.contains("the line is dead"), "\(login)")
        #expect(!login.errors.contains("knows you"), "\(login)")
    }

    @Test func `is not needed where the backend has no secrets`() throws {
        let home = try SatchelHome()
        let schema = "type Note @model { title: String! }"
        try home.write("schema.graphql", schema)
        let new = try home.satchel("plugin", "new", "open", "--language", "python")
        try #require(new.code == 0, "\(new)")
        let folder = ".local/share/satchel/plugins"
        _ = try home.shell("mkdir -p \(folder) && mv satchel-backend-open \(folder)")
        let made = try home.satchel("init", "w", "--backend", "open", "--set", "path=remote.json")
        #expect(made.code == 0 && made.errors.contains("satchel sync"), "\(made)")
        #expect(!made.errors.contains("auth login"), "\(made)")
        // Nobody is asked, so it does not matter that nobody could be.
        for login in [
            try home.satchel("auth", "login", in: "w"),
            try home.satchel(in: "w", input: "auth login\n"),
        ] {
            #expect(login.code == 0, "\(login)")
            #expect(login.errors.contains("open needs no secrets"), "\(login)")
        }
        let missing = try home.satchel("init", "x", "--backend", "nowhere")
        #expect(!missing.errors.contains("auth login"), "\(missing)")
        let vault = try VaultPlugin.home().satchel("init", "w", "--backend", "vault")
        #expect(vault.errors.contains("auth login"), "\(vault)")
    }

    @Test func `is for one backend and its settings`() throws {
        let home = try VaultPlugin.home()
        #expect(try home.satchel("auth", "login", input: "ann\ns3cret\n").code == 0)
        #expect(try home.satchel("config", "set", "config.url", "https://example.org").code == 0)
        let sync = try home.satchel("sync")
        #expect(sync.code == 4, "\(sync)")
        #expect(sync.errors.contains("url changed since"), "\(sync)")
        #expect(sync.errors.contains("auth login"), "\(sync)")
        let status = try home.satchel("auth")
        #expect(status.code == 4 && status.errors.contains("url changed since"), "\(status)")
        // What was kept is not offered for the new address either.
        let empty = try home.satchel("auth", "login", input: "\n\n")
        #expect(empty.code == 4, "\(empty)")
        // Back where they belong they are good as before.
        #expect(try home.satchel("config", "set", "config.url", "https://example.com").code == 0)
        #expect(try home.satchel("sync").code == 0)
        #expect(try home.satchel("config", "set", "config.url", "https://example.org").code == 0)
        #expect(try home.satchel("auth", "login", input: "bob\ns3cret-2\n").code == 0)
        #expect(try home.satchel("sync").code == 0)
        #expect(try home.satchel("config", "set", "config.url", "https://example.com").code == 0)
        #expect(try home.satchel("sync").code == 4)
    }

    @Test func `forgets secrets on request, asking where changes wait for delivery`() throws {
        let home = try VaultPlugin.home()
        #expect(try home.satchel("auth", "login", input: "ann\ns3cret\n").code == 0)
        #expect(try home.satchel("create", "Task", "title=x").code == 0)
        let asked = try home.satchel("auth", "logout")
        #expect(asked.code == 9, "\(asked)")
        #expect(asked.errors.contains("1 change"))
        #expect(try home.satchel("auth").code == 0)
        #expect(try home.satchel("auth", "logout", "--yes").code == 0)
        #expect(try home.satchel("auth").code == 4)
        #expect(try home.satchel("count", "Task").output == "1\n")
    }

    @Test func `takes secrets from a command before all others`() throws {
        let home = try VaultPlugin.home()
        try home.write("secrets", "#!/bin/sh\necho user=ann\necho token=s3cret\n", mode: 0o755)
        #expect(try home.satchel("config", "set", "secret_command", "./secrets").code == 0)
        let status = try home.satchel("auth", "-o", "json").json()
        #expect(status.elements?.allSatisfy { $0["place"] == "secret_command" } == true)
        let sync = try home.satchel("sync")
        #expect(sync.code == 0, "\(sync)")
        try home.write("secrets", "#!/bin/sh\necho locked >&2\nexit 3\n", mode: 0o755)
        let changed = try home.satchel("sync")
        #expect(changed.code == 9 && changed.errors.contains("secrets changed"), "\(changed)")
        #expect(try home.satchel("trust", "--yes").code == 0)
        let failed = try home.satchel("sync")
        #expect(failed.code == 4, "\(failed)")
        #expect(failed.errors.contains("locked"))
    }

    @Test func `lets a watch that syncs go on, from whatever process it is done`() throws {
        let home = try VaultPlugin.home()
        let watch = try home.start(
            "/bin/bash", ["-c", "exec satchel watch --sync -o ndjson --timeout 600"])
        func waits(for text: String) throws {
            while try !watch.printed.contains(text), !watch.isOver {
                _ = Poll.wait(reading: [], milliseconds: 5)
            }
        }
        try waits(for: "needs-auth")
        #expect(try home.satchel("auth", "login", input: "ann\ns3cret\n").code == 0)
        try waits(for: "\"online\"")
        watch.signal(SIGTERM)
        let ended = try watch.wait()
        #expect(ended.code == 0, "\(ended)")
    }

    @Test func `does not take secrets out of a script`() throws {
        let home = try VaultPlugin.home()
        let run = try home.satchel(input: "auth login\nann\ns3cret\n")
        #expect(run.code == 2, "\(run)")
        #expect(run.errors.hasPrefix("<stdin>:1:"), "\(run)")
    }
}

@Suite struct `The command plugin` {
    @Test func `lists what is found, where, and what is in use`() throws {
        let list = try VaultPlugin.home().satchel("plugin", "-o", "json").json()
        let vault = list.elements?.first { $0["name"] == "vault" }
        #expect(vault?["used"] == true)
        #expect(vault?["problem"] == .null)
        let folder = list.elements?.first { $0["name"] == "folder" }
        #expect(folder?["used"] == false)
    }

    @Test func `lets a plugin say what it is and can`() throws {
        let home = try VaultPlugin.home()
        let info = try home.satchel("plugin", "info", "vault", "-o", "json").json()
        #expect(info["version"] == "2.1")
        #expect(info["context"] == "default")
        #expect(info["capabilities"]?["pull"]?["delta"] == true)
        #expect(info["capabilities"]?["push"] == .null)
        let folder = try home.satchel("plugin", "info", "folder", "-o", "json").json()
        #expect(folder["wants"]?.elements?.first?.text?.hasPrefix("path: ") == true)
    }

    @Test func `works outside of a workspace`() throws {
        let home = try SatchelHome()
        let run = try home.satchel("plugin", "-o", "id")
        #expect(run.lines.contains("folder"), "\(run)")
        let missing = try home.satchel("plugin", "info", "nope")
        #expect(missing.code == 1, "\(missing)")
        #expect(missing.errors.contains("satchel-backend-nope"))
    }

    @Test func `says what is wrong with a plugin that everybody can change`() throws {
        let home = try VaultPlugin.home()
        let path = home.file(".local/share/satchel/plugins/satchel-backend-vault")
        try Files.setMode(path, 0o777)
        let list = try home.satchel("plugin", "-o", "json").json()
        let vault = list.elements?.first { $0["name"] == "vault" }
        #expect(vault?["problem"]?.text?.contains("everybody") == true)
        #expect(try home.satchel("plugin", "info", "vault").code == 9)
    }
}
