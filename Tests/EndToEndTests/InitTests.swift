import JSON
import Platform
import Testing

@Suite struct `Making a workspace` {
    static let schema = "type Post @model {\n  id: ID!\n  title: String!\n}\n"

    @Test func `without options gives models to begin with, and says what comes next`() throws {
        let home = try SatchelHome()
        let run = try home.satchel("init", "notes")
        #expect(run.code == 0, "\(run)")
        #expect(run.output == "")
        #expect(run.errors.contains("cd notes"))
        #expect(run.errors.contains("no backend yet"))
        #expect(try home.satchel("schema", "check", "notes/schema.graphql").code == 0)
        let created = try home.satchel("create", "Task", "title=First", in: "notes")
        #expect(created.code == 0, "\(created)")
        #expect(try home.satchel("count", "Task", in: "notes").output == "1\n")
    }

    @Test func `takes the schema it is given, and the backend with its settings`() throws {
        let home = try SatchelHome()
        try home.write("blog.graphql", Self.schema)
        let run = try home.satchel(
            "init", "blog", "--schema", "blog.graphql", "--backend", "folder", "--set",
            "path=../remote")
        #expect(run.code == 0, "\(run)")
        #expect(try home.read("blog/schema.graphql") == Self.schema)
        #expect(try home.satchel("create", "Post", "title=Hi", in: "blog").code == 0)
        let sync = try home.satchel("sync", "-o", "json", in: "blog")
        #expect(try sync.json()["pushed"] == 1)
        #expect(Files.isDirectory(home.file("remote/Post")))
    }

    @Test func `with a setting its backend does not take gives no complete sync`() throws {
        let home = try SatchelHome()
        #expect(try home.satchel("init", "notes", "--set", "path:=3").code == 0)
        let sync = try home.satchel("sync", "-o", "json", in: "notes")
        #expect(sync.code == 1, "\(sync)")
        #expect(try JSONValue.parse(sync.output)["complete"] == false)
    }

    @Test func `keeps a schema that is there`() throws {
        let home = try SatchelHome()
        try home.write("blog/schema.graphql", Self.schema)
        let run = try home.satchel("init", in: "blog")
        #expect(run.code == 0, "\(run)")
        #expect(try home.read("blog/schema.graphql") == Self.schema)
    }

    @Test func `reads a schema from standard input`() throws {
        let home = try SatchelHome()
        let run = try home.satchel("init", "blog", "--schema", "-", input: Self.schema)
        #expect(run.code == 0, "\(run)")
        #expect(try home.read("blog/schema.graphql") == Self.schema)
    }

    @Test func `lets nobody but its owner into the store`() throws {
        let home = try SatchelHome()
        #expect(try home.satchel("init", "notes").code == 0)
        #expect(try home.satchel("count", "Task", in: "notes").code == 0)
        #expect(try Files.status(home.file("notes/.satchel")).mode == 0o700)
        #expect(try Files.status(home.file("notes/.satchel/default.sqlite")).mode == 0o600)
    }

    struct Refusal: CustomTestStringConvertible {
        var arguments: [String]
        var code: Int32
        var says: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let refusals = [
        Refusal(arguments: ["init", "there"], code: 1, says: "there is a workspace already"),
        Refusal(
            arguments: ["init", "new", "--schema", "wrong.graphql"], code: 1,
            says: "wrong.graphql:1:26: unknown type Nope"),
        Refusal(
            arguments: ["init", "new", "--schema", "missing.graphql"], code: 1,
            says: "cannot read missing.graphql"),
        Refusal(
            arguments: ["init", "models", "--schema", "good.graphql"], code: 1,
            says: "models/schema.graphql is there already"),
        Refusal(
            arguments: ["init", "new", "--schema", "empty.graphql"], code: 1,
            says: "empty.graphql has no models"),
        Refusal(
            arguments: ["init", "new", "--amplify", "missing.json"], code: 1,
            says: "cannot read missing.json"),
        Refusal(
            arguments: ["init", "new", "--amplify", "other.json"], code: 1,
            says: "amplify_outputs.json, amplifyconfiguration.json, aws-exports.js"),
        Refusal(
            arguments: ["init", "new", "--backend", "folder"], code: 2, says: "--set path=DIR"),
        Refusal(
            arguments: ["init", "new", "--demo", "--schema", "x"], code: 2,
            says: "exclude each other"),
    ]

    @Test(arguments: refusals)
    func `refuses what it cannot do, and leaves nothing behind`(_ refusal: Refusal) throws {
        let home = try SatchelHome()
        try home.write("wrong.graphql", "type A @model { a: ID b: Nope }\n")
        try home.write("good.graphql", Self.schema)
        try home.write("empty.graphql", "# nothing yet\n")
        try home.write("other.json", "{}")
        try home.write("models/schema.graphql", "type Other @model { id: ID! }\n")
        #expect(try home.satchel("init", "there").code == 0)
        let run = try home.run(refusal.arguments)
        #expect(run.code == refusal.code, "\(run)")
        #expect(run.errors.contains(refusal.says), "\(run)")
        #expect(!Files.exists(home.file("new")))
        #expect(!Files.exists(home.file("models/satchel.json")))
    }
}

@Suite struct `The demo` {
    @Test func `has every country and subdivision, and their parents`() throws {
        let home = try SatchelHome()
        let run = try home.satchel("init", "atlas", "--demo")
        #expect(run.code == 0, "\(run)")
        #expect(try home.satchel("count", "Country", in: "atlas").output == "249\n")
        #expect(try home.satchel("count", "Subdivision", in: "atlas").output == "5127\n")
        let part = try home.satchel(
            "get", "Subdivision", "AZ-BAB", "include", "country,parent", "-o", "json", in: "atlas"
        ).json()
        #expect(part["country"]?["name"] == "Azerbaijan")
        #expect(part["parent"]?["code"] == "AZ-NX")
        let orphans = try home.satchel(
            "count", "Subdivision", "where", "parent_code is not null and parent.code is null",
            in: "atlas")
        #expect(orphans.output == "0\n", "\(orphans)")
    }

    @Test func `travels whole through a folder to a second workspace`() throws {
        let home = try SatchelHome()
        #expect(try home.satchel("init", "atlas", "--demo").code == 0)
        let pushed = try home.satchel("sync", "-o", "json", in: "atlas").json()
        #expect(pushed["pushed"] == 5376)
        #expect(pushed["complete"] == true)
        let second = try home.satchel(
            "init", "second", "--schema", "atlas/schema.graphql", "--backend", "folder", "--set",
            "path=../atlas/remote")
        #expect(second.code == 0, "\(second)")
        let pulled = try home.satchel("sync", "-o", "json", in: "second").json()
        #expect(pulled["pulled"] == 5376)
        for model in ["Country", "Subdivision"] {
            let here = try home.satchel("list", model, "-o", "ndjson", in: "atlas")
            let there = try home.satchel("list", model, "-o", "ndjson", in: "second")
            #expect(!here.output.isEmpty)
            #expect(here.output == there.output)
        }
    }

    @Test func `says which package it needs`() throws {
        let home = try SatchelHome()
        let run = try home.satchel("init", "atlas", "--demo", with: ["XDG_DATA_DIRS": "/nowhere"])
        #expect(run.code == 1)
        #expect(run.errors.contains("apt-get install iso-codes"), "\(run)")
        #expect(!Files.exists(home.file("atlas")))
    }
}
