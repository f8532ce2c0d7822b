import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

/// What an API answers to the creation of `p1`, and what comes of it.
struct CreateAnswer: CustomTestStringConvertible {
    var answer: JSONValue
    /// The API makes the ids.
    var assigns = false
    var verdict: String
    /// What a refusal says.
    var words = ""

    var testDescription: String { "\(assigns ? "assigned: " : "")\(answer.serialized())" }
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct `A create of which nobody tells what was made`
{
    static func plan(assigns: Bool) throws -> MappedPlan {
        let schema = try Schema.parse("type Post @model { id: ID! title: String }")
        let entry: JSONValue = [
            "assigns_ids": .bool(assigns),
            "list": "query { posts { ${fields} } }",
            "get": "query ($id: ID!) { post(id: $id) { ${fields} } }",
            "delete": "mutation ($id: ID!) { deletePost(id: $id) { id } }",
            "create": "mutation ($input: I!) { createPost(input: $input) { ${fields} } }",
        ]
        let mapping = try #require(
            try Mapping(JSONObject([("mapping", ["models": ["Post": entry]])])))
        return MappedPlan(schema.models[0], in: schema, try mapping.model(schema.models[0], nil))
    }

    static let table = [
        CreateAnswer(answer: ["id": "p1", "title": "t"], verdict: "ok"),
        CreateAnswer(answer: ["id": "p1"], verdict: "unknown"),
        CreateAnswer(answer: .null, verdict: "unknown"),
        CreateAnswer(
            answer: ["post": ["id": "5", "title": "t"]], verdict: "rejected",
            words: "there is: post"),
        CreateAnswer(answer: ["title": "t"], verdict: "rejected", words: "there is: title"),
        CreateAnswer(answer: true, verdict: "rejected", words: "at createPost"),
        CreateAnswer(answer: ["id": "5", "title": "t"], verdict: "rejected", words: "assigns_ids"),
        CreateAnswer(answer: ["id": "5", "title": "t"], assigns: true, verdict: "ok"),
        CreateAnswer(
            answer: ["id": "5"], assigns: true, verdict: "rejected", words: "there is: id"),
        CreateAnswer(
            answer: ["title": "t"], assigns: true, verdict: "rejected", words: "queue drop"),
        CreateAnswer(answer: .null, assigns: true, verdict: "rejected", words: "there is: null"),
    ]

    @Test(arguments: table) func `is not asked for again where that would make another`(
        _ row: CreateAnswer
    ) throws {
        let plan = try Self.plan(assigns: row.assigns)
        let answer = GraphQLAnswer(data: JSONObject([("createPost", row.answer)]))
        let verdict = plan.verdict(
            on: .create("p1", ["title": "t"]), .create, answer, root: "createPost")
        #expect(words([verdict])[0].hasPrefix(row.verdict), "\(String(describing: verdict))")
        guard case .rejected(let message, _, _)? = verdict else { return }
        #expect(message.contains(row.words) && message.contains("queue retry"), "\(message)")
    }

    /// What an API answers to a delete of `p1`, and what comes of it.
    static let deletes: [(answer: JSONValue, verdict: String)] = [
        (["id": "p1"], "ok"), (true, "ok"), (1, "ok"), (["success": true], "ok"), ("p1", "ok"),
        (false, "unknown"), (0, "unknown"), (["id": "p2"], "unknown"), (.null, "ok"),
    ]

    @Test(arguments: deletes) func `is told from a delete that was not done`(
        _ row: (answer: JSONValue, verdict: String)
    ) throws {
        let plan = try Self.plan(assigns: false)
        let step = try #require(plan.mapping.delete)
        let answer = GraphQLAnswer(data: JSONObject([(step.result.parts[0], row.answer)]))
        let operation = PluginOperation.delete("p1", on: "#1")
        let verdict = plan.verdict(on: operation, .delete, answer, root: "deletePost")
        #expect(words([verdict]) == [row.verdict], "\(row.answer)")
        guard !row.answer.isNull else { return }
        var refused = answer
        refused.errors = [GraphQLFault("not allowed")]
        #expect(
            words([plan.verdict(on: operation, .delete, refused, root: "deletePost")]) == [
                "unknown"
            ])
    }

    @Test func `waits for a person where its answer is lost and the API makes the ids`() throws {
        let api = try MappedAPI("hasura")
        try api.server.fault("cut_after", "insert_comments")
        let lost = try api.push(.create("ours", model: "Comment", title: nil, ["content": "once"]))
        let verdict = try #require(lost.first)
        guard case .rejected(let message, let code, _)? = verdict else {
            Issue.record("\(String(describing: verdict))")
            return
        }
        #expect(code == "unknown" && message.contains("queue drop"), "\(message)")
        // Where it was not even told that much, a look says why it cannot help.
        let error = failure { _ = try api.fetch("Comment", "ours") }
        #expect(error?.kind == .permanent, "\(String(describing: error))")
        #expect(
            error?.message.contains("cannot be looked up") == true, "\(String(describing: error))")
    }
}
