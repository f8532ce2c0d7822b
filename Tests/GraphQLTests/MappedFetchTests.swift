import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `A record that a mapped API is asked for` {
    static let mapping: JSONValue = [
        "models": [
            "Post": [
                "list": "query { posts { ${fields} } }",
                "get": [
                    "query": "query($id: ID!) { post(id: $id) { node { ${fields} } } }",
                    "result": "post.node",
                ],
            ]
        ]
    ]

    @Test(arguments: [
        (#"{"post": null}"#, true), (#"{"post": {"node": null}}"#, true),
        (#"{"__typename": "Query"}"#, false), (#"{"post": {"id": "a", "title": "x"}}"#, false),
        (#"{"post": "none"}"#, false),
    ])
    func `is gone where null is told for it, not where the path leads nowhere`(
        _ data: String, _ isGone: Bool
    ) throws {
        let deceived = try Deceived(Self.mapping)
        try deceived.server.tell(["body": .string(#"{"data": \#(data)}"#)])
        let page = PluginPage()
        do throws(PluginError) {
            try deceived.backend.fetch(
                model: "Post", ids: [RecordID("a")], onto: page, deceived.call)
            #expect(isGone)
            #expect(String(decoding: page.bytes, as: UTF8.self).contains(#""deleted":true"#))
        } catch {
            #expect(!isGone && error.kind == .permanent, "\(error)")
            #expect(error.message.hasSuffix("answered without a Post at post.node"), "\(error)")
        }
    }
}
