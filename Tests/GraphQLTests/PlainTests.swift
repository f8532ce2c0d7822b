import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `An API without conflict detection` {
    let api: AppSync

    init() throws { api = try AppSync("--conflict-detection", "off") }

    @Test func `gives everything each time, and no deltas`() throws {
        #expect(!api.welcome.capabilities.pull.hasDelta)
        try api.server.control(["command": "seed", "model": "Post", "count": 25])
        let all = try api.pull(limit: 10)
        #expect(all.ids.count == 25)
        #expect(all.cursor == nil)
        let version = try #require(all.items[0]["version"]?.text)
        #expect(version.hasSuffix("Z"))
        // It is no field of this schema.
        #expect(all.items[0]["record"]?["updatedAt"] == nil)
    }

    @Test func `writes only what nobody else has written since`() throws {
        let base = try api.make("p1")
        try api.server.control(["command": "clock", "advance_ms": 1000])
        let second = try api.push(.update("p1", ["title": "two"], on: base))[0]
        #expect(second?.word == "ok")
        #expect(second?.version != base)
        #expect(words(try api.push(.update("p1", ["title": "late"], on: base))) == ["unseen"])
        #expect(words(try api.push(.delete("p1", on: base))) == ["unseen"])
        #expect(try api.fetch("Post", "p1")[0]["record"]?["title"] == "two")
        #expect(words(try api.push(.create("p1"))) == ["unseen"])
        #expect(words(try api.push(.delete("p1", on: second?.version))) == ["ok"])
        #expect(try api.fetch("Post", "p1")[0]["deleted"] == true)
        #expect(try api.pull().ids.isEmpty)
    }

    @Test func `looks before it writes where the API knows no time of the last change`() throws {
        let schema = Schema(models: [
            Model(
                name: "Post",
                fields: [
                    Field("id", .scalar(.id), isRequired: true),
                    Field("title", .scalar(.string), isRequired: true),
                ])
        ])
        let blind = try AppSync(
            api.server, JSONObject([("version_field", "nothing")]), schema: schema)
        let base = try blind.make("p1")
        #expect(base.text?.hasPrefix("#") == true)
        let second = try blind.push(.update("p1", ["title": "two"], on: base))[0]
        #expect(second?.word == "ok")
        let late = try blind.push(.update("p1", ["title": "late"], on: base))[0]
        #expect(late?.word == "conflict")
        #expect(late?.record?["title"] == "two")
        #expect(words(try blind.push(.delete("p1", on: late?.version))) == ["ok"])
        #expect(words(try blind.push(.update("p1", ["title": "x"], on: base))) == ["gone"])
    }

    @Test func `can be told not to look whether conflicts are detected`() throws {
        let told = try AppSync(api.server, JSONObject([("conflict_detection", "off")]))
        let before = try api.server.journal("SatchelSurface").count
        _ = try AppSync(api.server, JSONObject([("conflict_detection", "off")]))
        #expect(try api.server.journal("SatchelSurface").count == before)
        let base = try told.make("p1")
        #expect(words(try told.push(.update("p1", ["title": "two"], on: base))) == ["ok"])
        #expect(try told.pull().ids == ["p1"])
    }
}
