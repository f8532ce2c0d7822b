import JSON
import Platform
import Plugins
import Records
import Sync
import Testing

@Suite struct `One record that cannot be read` {
    /// What a plugin writes for it, as Python bytes; the reason, what is kept, and whether its id is told.
    struct Bad: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var item: String
        var reason: String
        var raw: String
        var isNamed = true
    }

    static let all = [
        Bad(
            testDescription: "nests 900 deep",
            item:
                #"b'{"id":"b","version":1,"record":' + b'{"d":' * 900 + b'1' + b'}' * 900 + b'}'"#,
            reason: "it is nested deeper than 128 levels",
            raw: String(repeating: #"{"d":"#, count: 900) + "1" + String(repeating: "}", count: 900)
        ),
        Bad(
            testDescription: "has a key twice",
            item: #"b'{"id":"b","record":{"id":"b","x":1,"x":2}}'"#,
            reason: #"it cannot be read: the key "x" appears twice in one object (column 36)"#,
            raw: #"{"id":"b","x":1,"x":2}"#),
        Bad(
            testDescription: "holds NaN", item: #"b'{"record":{"x":NaN},"id":"b"}'"#,
            reason: "it cannot be read: expected a value, found 'N' (column 16)",
            raw: #"{"x":NaN}"#),
        Bad(
            testDescription: "is no UTF-8", item: #"b'{"id":"b","record":{"x":"\xff"}}'"#,
            reason: "it cannot be read: not UTF-8 (column 26)", raw: "{\"x\":\"\u{FFFD}\"}"),
        Bad(
            testDescription: "has half a surrogate pair",
            item: #"b'{"id":"b","record":{"x":"\\ud83d"}}'"#,
            reason: "it cannot be read: a string has half of a surrogate pair (column 26)",
            raw: #"{"x":"\ud83d"}"#),
        Bad(
            testDescription: "has a raw tab", item: #"b'{"id":"b","record":{"x":"a\tb"}}'"#,
            reason: "it cannot be read: a control character inside a string must be written "
                + "as an escape such as \\n (column 27)",
            raw: "{\"x\":\"a\tb\"}"),
        Bad(
            testDescription: "has its id twice", item: #"b'{"id":"b","id":"c","record":{}}'"#,
            reason: #"it cannot be read: the key "id" appears twice in one object (column 11)"#,
            raw: #"[{"id":"b","id":"c","record":{}}]"#, isNamed: false),
        Bad(
            testDescription: "has a version that cannot be read",
            item: #"b'{"id":"b","version":Infinity,"record":{}}'"#,
            reason: "it cannot be read: expected a value, found 'I' (column 21)",
            raw: #"[{"id":"b","version":Infinity,"record":{}}]"#),
    ]

    private func plugin(_ item: String) throws -> ScriptedPlugin {
        try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                page = b'{"jsonrpc":"2.0","result":{"records":[{"id":"a","record":{"id":"a"}}, '
                page += \(item)
                page += b' ,{"id":"c","deleted":true}],"cursor":"next","more":true},"id":%d}' % request["id"]
                out(page + b'\\n')
                """))
    }

    @Test(arguments: all) func `goes to quarantine and the page goes on`(_ bad: Bad) throws {
        let plugin = try self.plugin(bad.item)
        let backend = plugin.backend()
        defer { backend.close() }
        for _ in 0..<2 {
            let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
            #expect(page.records.map(\.id.text) == ["a", "c"])
            #expect(page.records.map(\.isDeleted) == [false, true])
            #expect(page.cursor == "next" && page.more)
            #expect(
                page.undecodable == [
                    Undecodable(
                        id: bad.isNamed ? RecordID("b") : nil, raw: bad.raw, reason: bad.reason)
                ])
        }
        // Where it was asked for by its id there is nothing to go on with.
        let error = #expect(throws: BackendError.self) {
            try backend.fetch(model: "Post", ids: [RecordID("b")])
        }
        #expect(error?.kind == .permanent)
        #expect(error?.message.hasSuffix("cannot be used: \(bad.reason)") == true)
    }

    @Test func `was deleted, and then nothing of it is wanted`() throws {
        let plugin = try self.plugin(#"b'{"id":"b","deleted":true,"record":{"x":NaN}}'"#)
        let backend = plugin.backend()
        defer { backend.close() }
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        #expect(page.records.map(\.id.text) == ["a", "b", "c"])
        #expect(page.undecodable.isEmpty)
    }

    @Test(arguments: [
        #"b'{"id":"b","record":{"x":]}'"#, #"b'{"id":"b"}{"id":"d"}'"#, #"b'{"id":"b'"#,
    ])
    func `still ends the plugin where nothing tells where it ends`(_ item: String) throws {
        let plugin = try self.plugin(item)
        let backend = plugin.backend()
        defer { backend.close() }
        let error = #expect(throws: BackendError.self) {
            try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        }
        #expect(error?.kind == .broken)
        #expect(error?.message.contains("(column ") == true, "\(error?.message ?? "")")
    }

    @Test func `is kept without the secrets that are in it`() throws {
        let plugin = try self.plugin(#"b'{"id":"b","record":{"x":"hunter2hunter2",}}'"#)
        let backend = plugin.backend(secrets: JSONObject([("token", "hunter2hunter2")]))
        defer { backend.close() }
        let page = try backend.pull(PullRequest(model: "Post", cursor: nil, limit: 10))
        #expect(page.undecodable.count == 1)
        #expect(page.undecodable.first?.raw.contains("hunter2") == false)
    }

    @Test func `makes one verdict unknown, and the others count`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                out(b'{"id":%d,"result":{"results":[' % request["id"]
                    + b'{"key":"a","outcome":"ok","version":2,"record":{"id":"1"}},'
                    + b'{"key":"b","outcome":"ok","version":3,"record":{"id":"2","x":NaN}},'
                    + b'{"outcome":NaN}, {"outcome":"rejected","message":"no","key":"c"}]}}\\n')
                """))
        let backend = plugin.backend()
        defer { backend.close() }
        let verdicts = try backend.push([
            .create("a", id: "1"), .create("b", id: "2"), .create("c", id: "3"),
        ])
        #expect(
            verdicts == [
                "a": .ok(version: 2, record: JSONObject([("id", "1")]), assignedID: nil),
                "b": .unknown(message: "a verdict that cannot be read"),
                "c": .rejected(message: "no", code: nil, field: nil),
            ])
    }

    @Test func `makes an event a gap`() throws {
        let plugin = try ScriptedPlugin(
            HostilePlugin.afterWelcome(
                """
                if request["method"] == "subscribe":
                    out(b'{"method":"event","params":{"model":"Post","id":"1","record":{"x":NaN}}}\\n')
                    tell("event", model="Post", id="2")
                answer(request, {})
                """))
        let backend = plugin.backend()
        defer { backend.close() }
        try backend.subscribe(models: ["Post"])
        #expect(
            try backend.nextEvents() == [
                .gap,
                .changed(
                    model: "Post", id: RecordID("2"), version: nil, record: nil, deleted: false,
                    originKey: nil),
            ])
    }
}
