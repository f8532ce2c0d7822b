import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `Settings that mean nothing` {
    /// A setting, and the words that say what is wrong with it.
    static let table: [(key: String, value: String, words: [String])] = [
        ("contexts.default.config.pages", "5", ["config.pages", "\"page\""]),
        ("config.concurency", "5", ["config.concurency", "\"concurrency\""]),
        ("config.page", "many", ["config.page", "a number from 1"]),
        ("config.auth", "apikey", ["config.auth", "api_key"]),
        ("config.live", "sse", ["config.live", "inside of mapping"]),
        ("config.names", "{Post: {lsit: \"all\"}}", ["names.Post.lsit", "\"list\""]),
        ("config.headers", "{\"X-Role\": \"user\"}", ["config.headers", "auth=api_key"]),
        ("config.mapping", "{mroe: 1}", ["mapping.mroe"]),
        ("config.mapping", "{like: \"hasura\", names: 1}", ["mapping.names"]),
        (
            "config.mapping", "{models: {Post: {list: {query: \"{ a }\", mroe: \"a.b\"}}}}",
            ["mapping.models.Post.list.mroe", "\"more\""]
        ),
        (
            "config.mapping", "{models: {Post: {list: \"{ posts { ${felds} } }\"}}}",
            ["${felds}", "${fields}"]
        ),
        (
            "config.mapping", "{models: {Post: {lists: \"{ posts { ${fields} } }\"}}}",
            ["mapping.models.Post.lists", "\"list\""]
        ),
        ("config.ca_file", "5", ["config.ca_file", "a text"]),
        ("config.mapping", "{like: 5}", ["mapping.like", "a text"]),
        ("config.mapping", "{models: {Post: {list: 4}}}", ["mapping.models.Post.list"]),
        ("models.Post.filter", "titel = \"x\"", ["models.Post.filter", "titel", "title"]),
        ("models.Post.filter", "title =", ["models.Post.filter", "a value is missing"]),
        ("models.Psot.filter", "title = \"x\"", ["Psot", "\"Post\""]),
        ("models.Post.fields", "{titel: {conflict: \"server\"}}", ["titel", "\"title\""]),
    ]

    @Test func `are refused before they are written`() throws {
        let pair = try GraphQLPair()
        let before = try pair.home.read("a/satchel.json")
        for row in Self.table {
            let run = try pair.home.satchel("config", "set", row.key, row.value, in: "a")
            #expect(run.code == 2, "\(row.key) \(row.value): \(run)")
            for word in row.words { #expect(run.errors.contains(word), "\(run)") }
        }
        #expect(try pair.home.read("a/satchel.json") == before)
        #expect(try pair.run("a", "config set models.Post.filter 'title = \"x\"'").code == 0)
        #expect(try pair.run("a", "config set config.page 50").code == 0)
    }

    /// Written as in the file, as one word of JSON is not.
    @Test func `are found in JSON5 too, and so are secrets`() throws {
        let pair = try GraphQLPair()
        let before = try pair.home.read("a/satchel.json")
        for (key, value) in [
            ("config", "{url: 'http://127.0.0.1:1/graphql', api_key: 'da2-s3cret'}"),
            (
                "contexts.default",
                "{backend: 'graphql', config: {url: 'http://127.0.0.1:1/graphql', api_key: 'da2-s3cret'}}"
            ),
            (
                "contexts",
                "{default: {backend: 'graphql', config: {url: 'http://127.0.0.1:1/graphql', api_key: 'x'}}}"
            ),
            ("config", "{url: 'http://127.0.0.1:1/graphql', auth: 'lambda', token: 'da2-s3cret'}"),
        ] {
            let run = try pair.home.satchel("config", "set", key, value, in: "a")
            #expect(run.code == 9, "\(run)")
            #expect(run.errors.contains("as plain text"), "\(run)")
        }
        for (key, value) in [
            ("config", "{url: 'http://127.0.0.1:1/graphql', pags: 5}"),
            (
                "contexts",
                "{default: {backend: 'graphql', config: {url: 'http://127.0.0.1:1/graphql', pags: 5}}}"
            ),
        ] {
            let run = try pair.home.satchel("config", "set", key, value, in: "a")
            #expect(run.code == 2 && run.errors.contains("config.pags"), "\(run)")
        }
        #expect(try pair.home.read("a/satchel.json") == before)
    }

    @Test func `are named by a sync and by doctor where they were written by hand`() throws {
        let pair = try GraphQLPair()
        let text = try pair.home.read("a/satchel.json")
        let wrong = text.replacing("\"region\":", with: "\"pages\": 5, \"region\":")
        try #require(wrong != text)
        try pair.home.write("a/satchel.json", wrong)
        try pair.output("a", "trust --yes")
        let sync = try pair.run("a", "sync")
        #expect(sync.code == 1, "\(sync)")
        #expect(sync.errors.contains("config.pages") && sync.errors.contains("\"page\""))
        let doctor = try pair.run("a", "doctor -o json")
        #expect(doctor.code == 1, "\(doctor)")
        let found = try JSONValue.parse(doctor.output).elements?.first { $0["ok"] == false }
        #expect(found?["check"] == "settings", "\(doctor)")
        // One mistake is mended before the other.
        try pair.home.write(
            "a/satchel.json", wrong.replacing("\"region\":", with: "\"paces\": 5, \"region\":"))
        try pair.output("a", "trust --yes")
        let half = try pair.run("a", "config set config.page 40")
        #expect(half.code == 0 && half.errors.contains("warning: config."), "\(half)")
    }

    @Test func `lead to no login that a mapping does not need, and to models of your own`() throws {
        let home = try SatchelHome()
        let url = "url=http://127.0.0.1:1/graphql"
        for (folder, more, needsLogin) in [
            ("a", ["mapping=hasura"], false), ("b", ["mapping=hasura", "auth=header"], true),
            ("c", [], true),
        ] {
            let settings = more.flatMap { ["--set", $0] }
            let run = try home.run(
                ["init", folder, "--backend", "graphql", "--set", url] + settings, in: ".")
            #expect(run.code == 0, "\(run)")
            #expect(run.errors.contains("satchel auth login") == needsLogin, "\(run)")
            #expect(run.errors.contains("write your models: \(folder)/schema.graphql"), "\(run)")
            #expect(run.errors.contains("satchel schema pull"), "\(run)")
        }
    }

    @Test func `are told of where a workspace begins`() throws {
        let home = try SatchelHome()
        let url = "url=http://127.0.0.1:1/graphql"
        let made = try home.satchel(
            "init", "x", "--backend", "graphql", "--set", url, "--set", "pags=4")
        #expect(made.code == 0 && made.errors.contains("config.pags"), "\(made)")
        let added = try home.satchel(
            "context", "add", "y", "--backend", "graphql", "--set", url, "--set", "pags=4", in: "x")
        #expect(added.code == 0 && added.errors.contains("config.pags"), "\(added)")
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A certificate that nobody vouches for` {
    @Test func `is named by a login and a sync, with what to do`() throws {
        let home = try SatchelHome()
        let certificate = home.file("certificate.pem")
        let server = try TLSServer(certificate: certificate)
        let made = try home.satchel(
            "init", "w", "--backend", "graphql", "--set", "url=\(server.url)", "--set",
            "auth=api_key", "--set", "conflict_detection=off")
        #expect(made.code == 0, "\(made)")
        let login = try home.satchel("auth", "login", in: "w", input: "da2-s3cret\n")
        #expect(login.code == 6, "\(login)")
        #expect(login.errors.contains("the certificate of localhost is not trusted"), "\(login)")
        #expect(login.errors.contains("config.ca_file"), "\(login)")
        #expect(try home.satchel("auth", in: "w").code == 4)
        try home.write("secret", "#!/bin/sh\necho api_key=da2-s3cret\n", mode: 0o755)
        let set = try home.satchel("config", "set", "secret_command", home.file("secret"), in: "w")
        #expect(set.code == 0, "\(set)")
        _ = try home.satchel("trust", "--yes", in: "w")
        let sync = try home.satchel("sync", in: "w")
        #expect(sync.code == 6, "\(sync)")
        #expect(sync.errors.contains("the certificate of localhost is not trusted"), "\(sync)")
        let own = try home.satchel("config", "set", "config.ca_file", certificate, in: "w")
        #expect(own.code == 0, "\(own)")
        let again = try home.satchel("sync", in: "w")
        #expect(!again.errors.contains("certificate"), "\(again)")
    }
}
