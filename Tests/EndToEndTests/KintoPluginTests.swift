import Glibc
import JSON
import Platform
import Testing

@Suite struct `The kinto backend` {
    let server: KintoServer

    init() throws { server = try KintoServer(try SatchelHome()) }

    @Test func `passes the conformance kit, its password read from a pipe`() throws {
        // Once with models that a collection describes and checks, once without.
        let schema: JSONValue = [
            "data": [
                "schema": [
                    "type": "object", "required": ["title"],
                    "properties": [
                        "title": ["type": "string", "maxLength": 2_000],
                        "state": ["type": "string", "enum": ["OPEN", "DONE"]],
                        "count": ["type": ["integer", "null"]],
                        "tags": ["type": "array", "items": ["type": "string"]],
                        "when": ["type": "string", "format": "date-time"],
                        "extra": ["type": "object"],
                    ],
                ]
            ]
        ]
        for bucket in ["plain", "described"] {
            if bucket == "described" {
                #expect(try server.ask("PUT", "/buckets/described")["status"] == 201)
                let path = "/buckets/described/collections/Paper"
                #expect(try server.ask("PUT", path, schema)["status"] == 201)
            }
            let kit = try server.home.satchel(
                "plugin", "test", Path.join(KintoServer.plugins, "satchel-backend-kinto"), "--set",
                "url=\(server.url)", "--set", "bucket=\(bucket)", "--set", "user=ann",
                input: KintoServer.password + "\n")
            #expect(kit.code == 0, "\(kit)")
            #expect(kit.errors.contains("27 ok, 0 failed, 3 skipped"), "\(kit)")
            #expect(kit.output.contains("skipped events tell of changes: its capabilities have no"))
        }
        #expect(try server.ask("GET", "/buckets/plain/collections/Note/records")["status"] == 200)
    }

    @Test func `writes what others of its server can read, and reads what they write`() throws {
        let plugin = try KintoPlugin(server.home)
        try plugin.initialize(server.url, JSONObject([("collections", "Note=notes")]))
        let note: JSONValue = ["id": "n1", "title": "Hello", "extra": #"{"a":[1]}"#, "done": nil]
        let made = try plugin.push("create", "n1", note)
        #expect(made["outcome"] == "ok", "\(made)")
        let path = "/buckets/app/collections/notes/records"
        let seen = try server.ask("GET", "\(path)/n1")["body"]?["data"]
        #expect(seen?["extra"] == ["a": [1]])
        #expect(seen?["done"] == nil)
        // Sent again, as after a lost answer: done once, and no conflict.
        let again = try plugin.push("create", "n1", note)
        #expect(again["outcome"] == "ok", "\(again)")
        #expect(again["version"] == made["version"])
        let other = try plugin.push("create", "n1", ["id": "n1", "title": "Mine"])
        #expect(other["outcome"] == "conflict", "\(other)")
        #expect(other["record"]?["title"] == "Hello")
        let more: JSONValue = ["data": ["title": "By hand", "colour": "red"]]
        #expect(try server.ask("PUT", "\(path)/n2", more)["status"] == 201)
        let pulled = try plugin.pull()["result"]
        #expect(
            pulled?["records"]?.elements?.map { $0["record"]?["title"] } == ["Hello", "By hand"])
        #expect(pulled?["records"]?.elements?.first?["record"]?["extra"] == #"{"a":[1]}"#)
        // Fields that no model knows stay when others change.
        let version = pulled?["records"]?.elements?.last?["version"]
        let edit = try plugin.push("update", "n2", ["title": "By machine"], base: version)
        #expect(edit["outcome"] == "ok", "\(edit)")
        #expect(try server.ask("GET", "\(path)/n2")["body"]?["data"]?["colour"] == "red")
        let filter: JSONValue = ["field": "title", "op": "eq", "value": "Hello"]
        _ = try server.requests()
        let some = try plugin.pull(filter: filter)["result"]
        #expect(some?["records"]?.elements?.map { $0["id"] } == ["n1"])
        let asked = try server.requests()
        #expect(asked.contains { $0.contains("title=%22Hello%22") }, "\(asked)")
    }

    @Test func `refuses what Kinto has no place for, by the name of the field`() throws {
        let plugin = try KintoPlugin(server.home)
        try plugin.initialize(server.url)
        for (id, set, field) in [
            ("é", ["id": "é", "title": "x"], "id"),
            ("n1", ["id": "n1", "title": nil], "title"),
            ("n1", ["id": "n1", "title": "x", "deleted": true], "deleted"),
        ] as [(String, JSONValue, String)] {
            let verdict = try plugin.push("create", id, set)
            #expect(verdict["outcome"] == "rejected", "\(verdict)")
            #expect(verdict["field"] == .string(field), "\(verdict)")
        }
        let unknown = try plugin.ask("schema", [:])
        #expect(unknown["error"]?["data"]?["kind"] == "auth", "\(unknown)")
    }

    @Test func `follows no server to another address, and swallows no flood`() throws {
        let plugin = try KintoPlugin(server.home)
        try plugin.initialize(server.url)
        _ = try plugin.push("create", "n1", ["id": "n1", "title": "x"])
        let elsewhere = server.url.split(separator: ":").dropLast().joined(separator: ":") + ":1/"
        try server.set(
            ["path": "/records", "status": 302, "headers": ["Location": .string(elsewhere)]],
            ["path": "/records", "flood": true])
        let sent = try plugin.pull()
        #expect(sent["error"]?["data"]?["kind"] == "permanent", "\(sent)")
        #expect(sent["error"]?["message"]?.text?.contains("another address") == true)
        let flooded = try plugin.pull()
        #expect(flooded["error"]?["data"]?["kind"] == "too_large", "\(flooded)")
        let rest = try plugin.pull()
        #expect(rest["result"]?["records"]?.elements?.count == 1, "\(rest)")
        let longPause: JSONValue = ["path": "/records", "add": ["Backoff": "3000"]]
        try server.set(longPause)
        _ = try plugin.pull()
        let later = try plugin.pull()
        #expect(later["error"]?["data"]?["kind"] == "rate_limited", "\(later)")
        #expect((later["error"]?["data"]?["after_ms"]?.integer ?? 0) > 2_900_000, "\(later)")
    }

    @Test func `gives up at once when it is told to, and ends with its input`() throws {
        let plugin = try KintoPlugin(server.home)
        try plugin.initialize(server.url)
        _ = try plugin.push("create", "n1", ["id": "n1", "title": "x"])
        try server.set(["path": "/records", "hang": true, "times": 2])
        let id = try plugin.send("pull", ["model": "Note", "cursor": nil, "limit": 10])
        try server.met("/records?")
        try plugin.cancel(id)
        let answer = try plugin.answer(to: id)
        #expect(answer["error"]?["data"]?["kind"] == "cancelled", "\(answer)")
        #expect(try plugin.ask("ping", [:])["result"] == [:])
        _ = try plugin.send("pull", ["model": "Note", "cursor": nil, "limit": 10])
        try server.met("/records?")
        let running = plugin.program
        plugin.closeInput()
        #expect(try running.wait(seconds: 120).code == 0)
    }
}

@Suite struct `The settings of the kinto backend` {
    static let wrong: [(config: JSONValue, word: String)] = [
        (["url": "http://kinto.example.com"], "plain_http"),
        (["url": "https://ann:pw@kinto.example.com"], "auth login"),
        (["url": "ftp://kinto.example.com"], "url"),
        (["bucket": "default"], "bucket"),
        (["collections": "Note"], "collections"),
        (["timeout": "soon"], "timeout"),
    ]

    @Test func `are refused by name where they are wrong`() throws {
        let plugin = try KintoPlugin(try SatchelHome())
        for (config, word) in Self.wrong {
            let settings = config.members ?? JSONObject()
            let answer = try plugin.initialize("https://kinto.example.com", settings)
            #expect(answer["error"]?["data"]?["kind"] == "permanent", "\(answer)")
            #expect(answer["error"]?["message"]?.text?.contains(word) == true, "\(answer)")
            #expect(answer["error"]?["message"]?.text?.contains("pw") == false)
        }
        let plain = JSONObject([("plain_http", "true")])
        let good = try plugin.initialize("HTTP://Kinto.example.com", plain)
        let identity = good["result"]?["identity"]
        #expect(identity == "http://kinto.example.com:80/v1/buckets/app", "\(good)")
    }
}
