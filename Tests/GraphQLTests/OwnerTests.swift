import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `The owner of a record` {
    typealias Models = `Models that are authorised in their own way`

    let server: AppSyncServer

    init() throws {
        server = try AppSyncServer("--auth", "userPools,apiKey", schema: Models.path)
    }

    private func api(_ user: String, _ schema: Schema = Models.schema) throws -> AppSync {
        try AppSync(
            server, JSONObject([("auth", "user_pools")]),
            secrets: JSONObject([("token", try Models.token(user, at: server))]), schema: schema)
    }

    private func input(_ operation: String) throws -> JSONObject? {
        try server.journal(operation).last?["variables"]?["input"]?.members
    }

    /// With the field as `init --amplify` writes it.
    static let told: Schema = {
        var schema = Models.schema
        for index in schema.models.indices where schema.models[index].name == "Diary" {
            schema.models[index].fields.append(
                Field("owner", .scalar(.string), isReadOnly: true))
        }
        return schema
    }()

    @Test(arguments: [false, true])
    func `is shown and never sent where Amplify makes the field`(_ isTold: Bool) throws {
        let api = try api("alice", isTold ? Self.told : Models.schema)
        let made = try api.push(.create("d1", model: "Diary", title: nil, ["text": "hello"]))
        #expect(words(made) == ["ok"])
        #expect(try input("createDiary")?.index(of: "owner") == nil)
        #expect(made.first??.record?["owner"] == "sub-alice::alice")
        let found = try #require(try api.fetch("Diary", "d1").first)
        #expect(found["record"]?["owner"] == "sub-alice::alice")
        #expect(try api.pull("Diary").records["d1"]?["owner"] == "sub-alice::alice")
        // A record that is written whole, as it was read.
        var record = try #require(found["record"]?.members)
        record["text"] = "other"
        let replaced = try api.push(
            PluginOperation(
                key: "r", model: "Diary", id: RecordID("d1"), kind: .replace,
                baseVersion: found["version"],
                set: record, record: record))
        #expect(words(replaced) == ["ok"])
        #expect(try input("updateDiary")?.index(of: "owner") == nil)
        #expect(replaced.first??.record?["owner"] == "sub-alice::alice")
    }

    @Test func `is set by a person where the schema has the field, and stays otherwise`() throws {
        let api = try api("alice")
        let base = try #require(
            try api.push(.create("l1", model: "Letter", title: nil, ["text": "hello"]))
                .first??.version)
        #expect(try input("createLetter")?.index(of: "author") == nil)
        #expect(try api.pull("Letter").records["l1"]?["author"] == "alice")
        // Written whole by somebody who does not know it.
        let set = JSONObject([("id", "l1"), ("text", "again")])
        let replaced = try api.push(
            PluginOperation(
                key: "r", model: "Letter", id: RecordID("l1"), kind: .replace, baseVersion: base,
                set: set,
                record: set))
        #expect(words(replaced) == ["ok"])
        #expect(try api.pull("Letter").records["l1"]?["author"] == "alice")
        let version = replaced.first??.version
        let given = try api.push(
            .update("l1", ["author": "bob"], on: version, model: "Letter"))
        #expect(try input("updateLetter")?["author"] == "bob")
        #expect(words(given) == ["ok"])
        #expect(try self.api("bob").pull("Letter").records["l1"]?["author"] == "bob")
    }

    @Test(arguments: ["optional", "required"])
    func `hears of what is theirs, by the name that the server knows`(_ must: String) throws {
        let server = try AppSyncServer(
            "--auth", "userPools,apiKey", "--owner-argument", must, schema: Models.path)
        let listener = try Listener(
            server, JSONObject([("auth", "user_pools")]),
            secrets: JSONObject([("token", try Models.token("alice", at: server))]),
            schema: Models.schema)
        try listener.subscribe("Diary", "Letter")
        try listener.wait(["subscriptions": 6])
        if must == "required" {
            let diary = try server.journal("onCreateDiary").last?["variables"]
            #expect(diary?["owner"] == "sub-alice::alice")
            let letter = try server.journal("onCreateLetter").last?["variables"]
            #expect(letter?["author"]?.text?.contains("alice") == true)
        }
        try listener.api.push(
            .create("d1", model: "Diary", title: nil, ["text": "hello"]),
            .create("l1", model: "Letter", title: nil, ["text": "hello"]))
        try listener.hear { Set($0.ids) == ["d1", "l1"] }
    }
}
