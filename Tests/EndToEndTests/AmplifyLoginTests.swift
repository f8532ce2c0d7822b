import JSON
import Platform
import ServerHarness
import Testing

/// A project whose notices are public and whose other models are their owner's.
private struct OwnedProject {
    let home: SatchelHome
    let server: AppSyncServer

    static let schema = Path.join(AppSyncServer.fixtures, "owned.graphql")

    init() throws {
        home = try SatchelHome()
        server = try AppSyncServer("--auth", "apiKey,userPools", schema: Self.schema)
        let outputs = try server.control(["command": "outputs", "url": .string(server.url)])
        try home.write("project/amplify_outputs.json", outputs.serialized())
    }

    var tokens: String { "http://127.0.0.1:\(server.port)/cognito" }

    func initialise(_ more: String...) throws -> Ended {
        let words = ["init", "notes", "--amplify", "project", "--set", "token_url=\(tokens)"]
        return try home.run(words + more)
    }

    func allow(_ token: JSONValue, _ more: JSONValue = [:]) throws {
        var command = JSONObject([("command", "refresh_token"), ("token", token)])
        for (key, value) in more.members?.pairs ?? [] { command[key] = value }
        try server.control(.object(command))
    }

    /// The key stays as it came with the project.
    func login(_ token: String) throws -> Ended {
        try home.satchel("auth", "login", in: "notes", input: "\n\(token)\n")
    }

    func run(_ words: String) throws -> Ended { try home.shell("satchel \(words)", in: "notes") }

    func config(_ folder: String = "notes") throws -> JSONValue? {
        try JSONValue.parseJSON5(Array(home.read("\(folder)/satchel.json").utf8))["contexts"]?[
            "default"]?["config"]
    }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An Amplify project with user pools` {
    static let modes: JSONValue = [
        "Diary": "user_pools", "Letter": "user_pools", "Page": "user_pools",
    ]

    @Test func `becomes a workspace that knows how each model is authorised`() throws {
        let project = try OwnedProject()
        let made = try project.initialise()
        #expect(made.code == 0, "\(made)")
        #expect(made.errors.contains("satchel auth login"), "\(made)")
        let config = try project.config()
        #expect(config?["auth"] == "api_key")
        #expect(config?["model_auth"] == Self.modes)
        #expect(config?["user_pool"] == "us-east-1_TESTPOOL1")
        #expect(config?["client_id"] == "testclient")
        let status = try project.run("auth status -o json")
        #expect(status.code == 4)
        let secrets = try JSONValue.parse(status.output).elements ?? []
        #expect(secrets.map { $0["key"]?.text } == ["api_key", "refresh_token"])
        #expect(secrets.map { $0["present"] } == [true, false])
        // Amplify makes the owner's field; the schema here has it, to be asked for.
        #expect(try project.run("list Diary where 'owner = \"x\"' fields id,owner").code == 0)
        #expect(try project.run("create Diary text=x owner=me").code == 2)
    }

    @Test(arguments: ["amplifyconfiguration.json", "aws-exports.js"])
    func `of the first generation does so by its schema`(_ file: String) throws {
        let project = try OwnedProject()
        let pool: JSONValue = ["PoolId": "eu-west-1_abc", "AppClientId": "client"]
        let text: JSONValue =
            file.hasSuffix(".js")
            ? [
                "aws_appsync_graphqlEndpoint": .string(project.server.url),
                "aws_appsync_region": "eu-west-1", "aws_appsync_apiKey": "da2-x",
                "aws_appsync_authenticationType": "API_KEY", "aws_user_pools_id": "eu-west-1_abc",
                "aws_user_pools_web_client_id": "client",
            ]
            : [
                "api": [
                    "plugins": [
                        "awsAPIPlugin": [
                            "notes": [
                                "endpointType": "GraphQL", "region": "eu-west-1",
                                "endpoint": .string(project.server.url),
                                "authorizationType": "API_KEY", "apiKey": "da2-x",
                            ]
                        ]
                    ]
                ],
                "auth": [
                    "plugins": ["awsCognitoAuthPlugin": ["CognitoUserPool": ["Default": pool]]]
                ],
            ]
        let json = text.prettyPrinted()
        let isScript = file.hasSuffix(".js")
        try project.home.write(
            "old/\(file)",
            isScript
                ? "// WARNING: DO NOT EDIT.\nconst awsmobile = \(json);\nexport default awsmobile;\n"
                : json)
        let schema = String(decoding: try Files.read(OwnedProject.schema), as: UTF8.self)
        try project.home.write("old/schema.graphql", schema)
        let made = try project.home.satchel("init", "new", "--amplify", "old")
        #expect(made.code == 0, "\(made)")
        let config = try project.config("new")
        #expect(config?["model_auth"] == Self.modes)
        #expect(config?["user_pool"] == "eu-west-1_abc")
        #expect(config?["client_id"] == "client")
        let written = try project.home.read("new/schema.graphql")
        #expect(written.split(separator: "\n").count { $0 == "  owner: String @readOnly" } == 2)
        #expect(written.contains("# as the address says"))
        // In the project's own folder its file stays as it is.
        let inside = try project.home.satchel("init", ".", "--amplify", ".", in: "old")
        #expect(inside.code == 0, "\(inside)")
        #expect(try project.home.read("old/schema.graphql") == schema)
    }

    @Test func `renews its token by itself, and keeps what it gets`() throws {
        let project = try OwnedProject()
        try project.allow("r1", ["rotate": "r2"])
        _ = try project.initialise()
        let login = try project.login("r1")
        #expect(login.code == 0, "\(login)")
        for number in 1...3 {
            try project.server.control(["command": "expire_tokens"])
            #expect(try project.run("create Diary id=d\(number) text=hello").code == 0)
            let sync = try project.run("sync")
            #expect(sync.code == 0, "\(sync)")
        }
        let diary = try project.run("get Diary d1 -o json").json()
        #expect(diary["owner"] == "sub-alice::alice")
        #expect(try project.server.effects("Diary", "d1").count == 1)
        let kept = try project.home.shell("cat .local/state/satchel/secrets/*.json").output
        #expect(kept.contains("\"r2\"") && !kept.contains("\"r1\""))
        #expect(try project.home.read("notes/satchel.json").contains("r2") == false)
    }

    @Test(arguments: ["token_url", "client_id", "url"])
    func `gives its tokens to nobody else`(_ setting: String) throws {
        let project = try OwnedProject()
        try project.allow("r1")
        _ = try project.initialise()
        #expect(try project.login("r1").code == 0)
        #expect(try project.run("sync").code == 0)
        // Tokens that were renewed meanwhile are bound as those that were given.
        try project.server.control(["command": "expire_tokens"])
        #expect(try project.run("sync").code == 0)
        let other = try AppSyncServer("--auth", "userPools,apiKey", schema: OwnedProject.schema)
        let before = try project.config()?[setting]?.text ?? ""
        let values = [
            "token_url": "http://127.0.0.1:\(other.port)/cognito", "client_id": "another",
            "url": other.url,
        ]
        let value = values[setting] ?? ""
        #expect(try project.run("config set config.\(setting) \(value)").code == 0)
        let asked = try other.control(["command": "refresh_token", "token": "x"])["asked"]
        let refused = try project.run("sync")
        #expect(refused.code == 4, "\(refused)")
        #expect(refused.errors.contains("\(setting) changed since"), "\(refused)")
        #expect(try other.control(["command": "refresh_token", "token": "x"])["asked"] == asked)
        #expect(try other.control(["command": "counters"])["requests"] == nil)
        #expect(try project.run("config set config.\(setting) \(before)").code == 0)
        try project.server.control(["command": "expire_tokens"])
        let back = try project.run("sync")
        #expect(back.code == 0, "\(back)")
    }

    @Test func `takes another user's login for another data set`() throws {
        let project = try OwnedProject()
        try project.allow("r1")
        try project.allow("r-bob", ["user": "bob"])
        _ = try project.initialise()
        #expect(try project.login("r1").code == 0)
        #expect(try project.run("create Diary id=d1 text=hello").code == 0)
        #expect(try project.run("sync").code == 0)
        let login = try project.login("r-bob")
        #expect(login.code == 0, "\(login)")
        let sync = try project.run("sync")
        #expect(sync.code == 9, "\(sync)")
        #expect(sync.errors.contains("--accept-remote"), "\(sync)")
        #expect(try project.run("sync --accept-remote --yes").code == 0)
        #expect(try project.run("count Diary").output == "0\n")
    }

    @Test func `takes a user's password, and keeps what it gets in its place`() throws {
        let project = try OwnedProject()
        try project.server.control([
            "command": "user", "name": "alice", "password": "s3cret-pass",
        ])
        _ = try project.initialise("--set", "user=alice")
        let wrong = try project.login("wr0ng-pass")
        #expect(wrong.code == 4, "\(wrong)")
        #expect(wrong.errors.contains("Incorrect username or password"), "\(wrong)")
        let login = try project.login("s3cret-pass")
        #expect(login.code == 0, "\(login)")
        for id in ["d1", "d2"] {
            #expect(try project.run("create Diary id=\(id) text=hello").code == 0)
            let sync = try project.run("sync")
            #expect(sync.code == 0, "\(sync)")
            try project.server.control(["command": "expire_tokens"])
        }
        let kept = try project.home.shell("grep -r pass .local notes")
        #expect(!kept.output.contains("s3cret-pass") && !kept.output.contains("wr0ng-pass"))
        let status = try project.run("auth status -o json").json().elements ?? []
        #expect(status.first { $0["key"] == "password" }?["place"] == "exchanged")
        // One that was exchanged is no answer to the next question.
        let again = try project.login("")
        #expect(again.code == 4 && again.errors.contains("no password was given"), "\(again)")
    }

    @Test func `takes a token of the user for as long as it lasts`() throws {
        let project = try OwnedProject()
        _ = try project.initialise()
        let token = try project.server.control(["command": "mint", "user": "alice"])["token"]
        let wrong = try project.login("r-unknown")
        #expect(wrong.code == 4, "\(wrong)")
        let login = try project.login(token?.text ?? "")
        #expect(login.code == 0, "\(login)")
        #expect(try project.run("sync").code == 0)
        try project.server.control(["command": "expire_tokens"])
        #expect(try project.run("sync").code == 4)
    }
}
