import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `A workspace's own programs` {
    let space: HookedWorkspace
    var home: SatchelHome { space.pair.home }

    init() throws { space = try HookedWorkspace() }

    private static let accepting = "#!/bin/sh\nwhile read -r line; do echo '{}'; done\n"

    @Test func `are started as they were seen, and no other`() throws {
        try space.hook("before_create", Self.accepting)
        try space.output("create Post title=one")
        try home.write("a/hooks/before_create", Self.accepting + ": > evil\n", mode: 0o755)
        let refused = try space.run("create Post title=two")
        #expect(refused.code == 9, "\(refused)")
        #expect(
            refused.errors.contains("hooks/before_create changed since the workspace was trusted"),
            "\(refused)")
        #expect(refused.errors.contains("satchel trust"))
        #expect(!Files.exists(home.file("a/evil")))
        #expect(try space.output("count Post") == "1")
        let doctor = try space.run("doctor")
        #expect(doctor.output.contains("hooks/before_create changed"), "\(doctor)")
        let shown = try space.run("trust -o json")
        #expect(shown.code == 9 && shown.output.contains("changed since"), "\(shown)")
        #expect(shown.output.contains("/a/hooks/before_create\""), "\(shown)")
        #expect(try space.run("trust --yes").code == 0)
        #expect(try space.run("create Post title=two").code == 0)
        // Setting something else is no consent to what changed beside it.
        try home.write("a/hooks/before_create", Self.accepting + "# again\n", mode: 0o755)
        try space.output("config set contexts.default.sync manual")
        #expect(try space.run("create Post title=three").code == 9)
    }

    @Test func `are those behind an interpreter too, and links`() throws {
        try home.write("a/check.py", HookedWorkspace.python("{}"))
        try space.output("config set hooks.before_create 'python3 check.py'")
        #expect(try space.run("create Post title=one").code == 0)
        try home.write("a/check.py", HookedWorkspace.python("{} "))
        #expect(try space.run("create Post title=two").code == 9)
        try Files.remove(home.file("a/check.py"))
        let elsewhere = try home.write("elsewhere.py", HookedWorkspace.python("{}  "))
        _ = try home.shell("ln -s \(elsewhere) a/check.py")
        #expect(try space.run("create Post title=two").code == 9)
        #expect(try space.run("trust --yes").code == 0)
        #expect(try space.run("create Post title=two").code == 0)
    }

    @Test(arguments: [
        ("my hooks/a b", #"sh "my hooks/a b""#), ("hooks/x=y", #"sh "hooks/x=y""#),
        ("hooks/h", #"sh hooks\/h"#), ("hooks/h", #"sh hoo"ks/"h"#),
        ("my hooks/a b", #""./my hooks/a b""#), ("hooks/x=y", "./hooks/x=y"),
    ])
    func `are known under any name, and however it is quoted`(_ file: String, _ line: String) throws
    {
        try home.write("a/\(file)", Self.accepting, mode: 0o755)
        let setting = JSONValue.object(
            JSONObject([("hooks", .object(JSONObject([("before_create", .string(line))])))]))
        try home.write("a/satchel.json", setting.serialized())
        #expect(try space.run("trust --yes").code == 0)
        let first = try space.run("create Post title=one")
        #expect(first.code == 0, "\(first)")
        try home.write("a/\(file)", Self.accepting + "# changed\n", mode: 0o755)
        let second = try space.run("create Post title=two")
        #expect(second.code == 9, "\(second)")
    }

    @Test func `are not asked for by a write in a workspace that is not trusted`() throws {
        try home.write("a/satchel.json", "{hooks: {before_create: './x', before_delete: './x'}}")
        try home.write("a/x", "#!/bin/sh\n: > ran\n", mode: 0o755)
        let line = "create Post title=one"
        let refused = try space.run(line)
        #expect(refused.code == 9 && refused.errors.contains("satchel trust"), "\(refused)")
        #expect(try space.run("import Post -").code == 9)
        #expect(try space.isUntouched())
        #expect(!Files.exists(home.file("a/ran")))
        // What asks no hook is nobody's business.
        #expect(try space.run("list Post").code == 0)
        #expect(try space.run("update Post where 'rating = 1' set rating:=2 --yes").code == 0)
    }

    @Test func `are refused where everybody can change them`() throws {
        try space.hook("before_create", Self.accepting)
        try Files.setMode(home.file("a/hooks/before_create"), 0o757)
        let refused = try space.run("create Post title=one")
        #expect(refused.code == 9 && refused.errors.contains("everybody can write"), "\(refused)")
        try Files.setMode(home.file("a/hooks/before_create"), 0o755)
        try Files.setMode(home.file("a/hooks"), 0o757)
        #expect(try space.run("create Post title=one").code == 9)
    }

    @Test func `are not found in the current folder by accident`() throws {
        try home.write("a/sub/check", "#!/bin/sh\n: > ran\n", mode: 0o755)
        try space.output("config set hooks.before_create check")
        let bare = try home.shell("cd sub && satchel create Post title=x", in: "a")
        #expect(bare.code == 1 && bare.errors.contains("no program check in PATH"), "\(bare)")
        try space.output("config set hooks.before_create ./check")
        #expect(try home.shell("cd sub && satchel create Post title=x", in: "a").code == 1)
        let relative = try home.satchel(
            "create", "Post", "title=x", in: "a/sub", with: ["PATH": ".:"])
        #expect(relative.code == 1, "\(relative)")
        #expect(!Files.exists(home.file("a/sub/ran")))
    }

    @Test func `are plugins as well`() throws {
        let new = try space.run("plugin new mine --language python")
        try #require(new.code == 0, "\(new)")
        try space.output("context add trial --backend mine --set path=remote.json")
        #expect(try space.run("sync --context trial").code == 0)
        let plugin = try home.read("a/plugins/satchel-backend-mine")
        try home.write("a/plugins/satchel-backend-mine", plugin + "# more\n", mode: 0o755)
        let refused = try space.run("sync --context trial")
        #expect(refused.code == 9, "\(refused)")
        let tested = try space.run("plugin test mine --level read --set path=trial.json")
        #expect(tested.code == 9 && tested.output.isEmpty, "\(tested)")
        #expect(tested.errors.contains("plugins/satchel-backend-mine changed"), "\(tested)")
        // Who names the file means it as it is.
        let file = "plugins/satchel-backend-mine"
        #expect(try space.run("plugin test \(file) --level read --set path=trial.json").code == 0)
        #expect(refused.errors.contains("plugins/satchel-backend-mine changed"), "\(refused)")
        #expect(try space.run("sync --context default").code == 0)
        #expect(try space.run("trust --yes").code == 0)
        #expect(try space.run("sync --context trial").code == 0)
    }

    @Test func `are files, for a pipe is another thing to each who reads it`() throws {
        try space.hook("before_create", Self.accepting)
        _ = try home.shell("rm a/hooks/before_create && mkfifo -m 700 a/hooks/before_create")
        let run = try space.run("trust --yes")
        #expect(run.code == 1 && run.errors.contains("no regular file"), "\(run)")
        #expect(!run.errors.contains("as long as"), "\(run)")
        #expect(try space.run("create Post title=one").code == 9)
    }

    @Test func `cost local commands nothing`() throws {
        try home.write("a/satchel.json", "{hooks: {after_sync: './x'}, contexts: {}}")
        // It cannot even be read.
        try home.write(".local/state/satchel/trusted.json", "no JSON")
        #expect(try space.run("create Post title=one").code == 0)
    }
}

@Suite struct `A schema outside the workspace` {
    @Test(arguments: ["../outside.graphql", "/etc/passwd", "link.graphql"])
    func `is read in a trusted one only`(_ path: String) throws {
        let home = try SatchelHome()
        try home.write("outside.graphql", "type A @model { id: ID! n: Int }\n")
        try home.write("w/satchel.json", "{schema: \"\(path)\"}\n")
        _ = try home.shell("ln -s ../outside.graphql w/link.graphql")
        let refused = try home.satchel("list", "A", in: "w")
        #expect(refused.code == 9, "\(refused)")
        #expect(refused.errors.contains("outside the workspace"), "\(refused)")
        #expect(!refused.errors.contains("root:"), "\(refused)")
        #expect(try home.satchel("doctor", in: "w").code == 1)
        #expect(try home.satchel("trust", in: "w").output.contains("schema"))
        #expect(try home.satchel("trust", "--yes", in: "w").code == 0)
        #expect(try home.satchel("list", "A", in: "w").code == (path == "/etc/passwd" ? 1 : 0))
    }
}
