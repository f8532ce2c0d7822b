import JSON
import Platform
import ServerHarness
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `The folder of an Amplify project` {
    /// Where Amplify's tools write, by the kind of project.
    static let places = [
        "amplify_outputs.json", "src/amplify_outputs.json", "src/amplifyconfiguration.json",
        "src/aws-exports.js", "app/src/main/res/raw/amplifyconfiguration.json",
        "lib/amplifyconfiguration.dart", "lib/amplify_outputs.dart",
    ]

    @Test(arguments: places) func `is all that has to be named`(_ place: String) throws {
        let home = try SatchelHome()
        let outputs = place.contains("outputs")
        let fixture = outputs ? "amplify_outputs.json" : "amplifyconfiguration.json"
        var text = String(
            decoding: try Files.read(Path.join(AppSyncServer.fixtures, fixture)), as: UTF8.self)
        if place.hasSuffix(".dart") { text = "const amplifyConfig = r'''\(text)''';\n" }
        if place.hasSuffix(".js") {
            text = """
                const awsmobile = {
                    "aws_appsync_graphqlEndpoint": "https://example.com/graphql",
                    "aws_appsync_region": "us-east-1",
                    "aws_appsync_authenticationType": "API_KEY", "aws_appsync_apiKey": "da2-x"
                };
                export default awsmobile;
                """
        }
        try home.write("app/\(place)", text)
        if !outputs {
            let schema = "type Post @model @auth(rules: [{ allow: public }]) { id: ID! }"
            try home.write("app/amplify/backend/api/notes/schema.graphql", schema)
        }
        let run = try home.satchel("init", "w", "--amplify", "app")
        #expect(run.code == 0, "\(run)")
        #expect(!run.errors.contains("no effect"), "\(run)")
        #expect(try home.read("w/satchel.json").contains("us-east-1"))
        #expect(try home.read("w/schema.graphql").contains("type Post"))
    }

    /// What a web project of Gen 1 has: a flat file, which does not name the API.
    static let flat = """
        const awsmobile = { "aws_appsync_graphqlEndpoint": "https://example.com/graphql",
            "aws_appsync_region": "us-east-1", "aws_appsync_authenticationType": "API_KEY" };
        export default awsmobile;
        """
    static let projects: [(files: [String: String], set: String?, models: [String]?)] = [
        (["notes/schema.graphql": "Post"], nil, ["Post"]),
        (
            ["notes/schema/a.graphql": "Post", "notes/schema/in/b.graphql": "Tag"], nil,
            ["Post", "Tag"]
        ),
        (["notes/schema.graphql": "Post", "rest/cli-inputs.json": ""], nil, ["Post"]),
        (["notes/schema/.x.graphql": "Bad", "notes/schema/a.graphql": "Post"], nil, ["Post"]),
        (["notes/schema.graphql": "Post", "other/schema.graphql": "Tag"], "other", ["Tag"]),
        (["notes/schema.graphql": "Post", "other/schema.graphql": "Tag"], nil, nil),
        (["notes/schema.graphql": "Post"], "other", nil),
        (["notes/readme.md": "Post"], nil, nil),
    ]

    @Test(arguments: projects) func `tells the models of the only API, or the one that is named`(
        _ row: (files: [String: String], set: String?, models: [String]?)
    ) throws {
        for file in ["src/aws-exports.js", "src/amplifyconfiguration.json"] {
            let home = try SatchelHome()
            let isScript = file.hasSuffix(".js")
            let json = Self.flat.split(separator: "=").last?.split(separator: ";").first ?? ""
            try home.write("app/\(file)", isScript ? Self.flat : String(json))
            for (path, model) in row.files {
                try home.write(
                    "app/amplify/backend/api/\(path)", "type \(model) @model { id: ID! }")
            }
            var arguments = ["init", "w", "--amplify", "app"]
            if let name = row.set { arguments += ["--set", "api=\(name)"] }
            let run = try home.run(arguments)
            guard let models = row.models else {
                #expect(run.code != 0, "\(run)")
                #expect(run.errors.contains("amplify/backend/api"), "\(run)")
                continue
            }
            #expect(run.code == 0, "\(run)")
            let schema = try home.read("w/schema.graphql")
            for model in models { #expect(schema.contains("type \(model) "), "\(schema)") }
            #expect(!schema.contains("Bad"))
        }
    }

    @Test func `without any says where it looked`() throws {
        let home = try SatchelHome()
        try home.write("app/package.json", "{}")
        let run = try home.satchel("init", "w", "--amplify", "app")
        #expect(run.code == 1, "\(run)")
        for word in ["amplify_outputs.json", "src", "lib", "generate outputs"] {
            #expect(run.errors.contains(word), "\(run)")
        }
    }

    /// The usual way of the API, the rule of each model, and what comes of it.
    static let ways: [(usual: String, rules: [String], auth: String, modes: JSONValue?)] = [
        ("AMAZON_COGNITO_USER_POOLS", ["public", "public"], "api_key", nil),
        (
            "AMAZON_COGNITO_USER_POOLS", ["public", "owner"], "user_pools",
            ["A0": "api_key"]
        ),
        ("API_KEY", ["owner", "owner"], "user_pools", nil),
        (
            "AMAZON_COGNITO_USER_POOLS", ["public", "public", "custom"], "api_key",
            ["A2": "lambda"]
        ),
    ]

    @Test(arguments: ways) func `asks for no login that no model needs`(
        _ row: (usual: String, rules: [String], auth: String, modes: JSONValue?)
    ) throws {
        let home = try SatchelHome()
        let outputs: JSONValue = [
            "version": "1",
            "data": [
                "url": "https://example.com/graphql", "aws_region": "us-east-1",
                "api_key": "da2-x", "default_authorization_type": .string(row.usual),
            ],
            "auth": ["user_pool_id": "us-east-1_abc", "user_pool_client_id": "client"],
        ]
        try home.write("app/amplify_outputs.json", outputs.serialized())
        let types = row.rules.enumerated().map { index, rule in
            "type A\(index) @model @auth(rules: [{ allow: \(rule) }]) { id: ID! }"
        }
        try home.write("app/schema.graphql", types.joined(separator: "\n"))
        let run = try home.satchel("init", "w", "--amplify", "app")
        #expect(run.code == 0, "\(run)")
        let text = try home.read("w/satchel.json")
        let config = try JSONValue.parseJSON5(Array(text.utf8))["contexts"]?["default"]?["config"]
        #expect(config?["auth"]?.text == row.auth, "\(text)")
        #expect(config?["model_auth"] == row.modes, "\(text)")
        #expect((config?["user_pool"] != nil) == (row.rules.contains("owner")), "\(text)")
        let isKeyAlone = !row.rules.contains { $0 != "public" }
        #expect(run.errors.contains("auth login") != isKeyAlone, "\(run)")
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A workspace on an address alone` {
    @Test func `gets its models from the API`() throws {
        let home = try SatchelHome()
        let server = try AppSyncServer(schema: GraphQLPair.schemaFile)
        let made = try home.satchel(
            "init", "w", "--backend", "graphql", "--set", "url=\(server.url)")
        #expect(made.code == 0, "\(made)")
        #expect(made.errors.contains("auth login") && made.errors.contains("schema pull"))
        #expect(!made.errors.contains("Task"), "\(made)")
        let login = try home.satchel(
            "auth", "login", in: "w", input: "\(AppSyncServer.apiKey)\n")
        #expect(login.code == 0, "\(login)")
        // What is here is only an example, which the API knows nothing of.
        let early = try home.satchel("sync", in: "w")
        #expect(early.code == 3 && early.errors.contains("satchel schema pull"), "\(early)")
        let pull = try home.satchel("schema", "pull", in: "w")
        #expect(pull.code == 0 && pull.errors.contains("satchel list Post"), "\(pull)")
        try server.execute(
            "mutation { createPost(input: {id: \"p1\", title: \"one\"}) { id title _version } }")
        #expect(try home.satchel("sync", in: "w").code == 0)
        #expect(
            try home.satchel("get", "Post", "p1", "-o", "json", in: "w").json()["title"] == "one")
        // Now it is somebody's.
        try home.write("w/schema.graphql", "type Post @model { id: ID! title: String! }")
        #expect(try home.satchel("schema", "pull", in: "w").code == 9)
    }

    @Test(arguments: ["hasura", "postgraphile"]) func `of another kind, too`(_ shape: String) throws
    {
        let home = try SatchelHome()
        let server = try GenericServer(shape)
        let made = try home.satchel(
            "init", "w", "--backend", "graphql", "--set", "url=\(server.url)", "--set",
            "mapping=\(shape)")
        #expect(made.code == 0 && made.errors.contains("schema pull"), "\(made)")
        #expect(try home.satchel("schema", "pull", in: "w").code == 0)
        try server.control(["command": "fill", "table": "posts", "rows": 3])
        let sync = try home.satchel("sync", in: "w")
        #expect(sync.code == 0, "\(sync)")
        let name = shape == "hasura" ? "posts" : "Post"
        #expect(try home.satchel("count", name, in: "w").output == "3\n")
    }
}
