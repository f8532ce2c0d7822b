import JSON
import PluginKit
import Records
import Testing
import satchel_backend_graphql

/// What a server answers to a write of the record `p1`, and whether that tells that it was done.
struct WriteAnswer: CustomTestStringConvertible {
    var verb: ModelPlan.Write
    var isVersioned = true
    /// What the write was made on; a create on nothing.
    var base: Int64 = 1
    var errors: [GraphQLFault] = []
    var answer: JSONValue
    var isTaken: Bool

    var testDescription: String {
        "\(verb) on \(base) \(isVersioned ? "" : "without versions ")\(answer.serialized()) \(errors)"
    }
}

@Suite struct `An answer to a write` {
    static func post(_ id: String, _ more: JSONObject = JSONObject()) -> JSONValue {
        .object(JSONObject([("id", .string(id)), ("title", "t")]).overlaid(with: more))
    }
    static let second = JSONObject([("_version", 2), ("_deleted", .null)])
    static let gone = JSONObject([("_version", 2), ("_deleted", true)])

    static let table = [
        WriteAnswer(verb: .delete, answer: post("p1", gone), isTaken: true),
        WriteAnswer(verb: .delete, answer: post("p1", second), isTaken: false),
        WriteAnswer(verb: .delete, answer: post("p2", gone), isTaken: false),
        WriteAnswer(verb: .delete, answer: [], isTaken: false),
        WriteAnswer(verb: .delete, answer: [:], isTaken: false),
        WriteAnswer(verb: .delete, answer: true, isTaken: false),
        WriteAnswer(verb: .delete, answer: "x", isTaken: false),
        WriteAnswer(verb: .delete, isVersioned: false, answer: post("p1"), isTaken: true),
        WriteAnswer(verb: .delete, isVersioned: false, answer: post("p2"), isTaken: false),
        WriteAnswer(verb: .create, answer: post("p1", second), isTaken: true),
        WriteAnswer(verb: .create, answer: post("p2", second), isTaken: false),
        WriteAnswer(verb: .update, answer: post("p1", second), isTaken: true),
        WriteAnswer(verb: .update, answer: post("p2", second), isTaken: false),
        WriteAnswer(
            verb: .update, answer: post("p1", JSONObject([("_version", .int(.max))])),
            isTaken: true),
        // What a write leads to is newer than what it was made on.
        WriteAnswer(verb: .update, base: 2, answer: post("p1", second), isTaken: false),
        WriteAnswer(verb: .update, base: 3, answer: post("p1", second), isTaken: false),
        WriteAnswer(verb: .update, base: 2, answer: post("p1", gone), isTaken: false),
        WriteAnswer(
            verb: .update, base: .max, answer: post("p1", JSONObject([("_version", .int(.max))])),
            isTaken: false),
        WriteAnswer(
            verb: .update, answer: post("p1", JSONObject([("_version", -1)])), isTaken: false),
        WriteAnswer(verb: .delete, base: 2, answer: post("p1", gone), isTaken: false),
        WriteAnswer(
            verb: .update, isVersioned: false, base: 2, answer: post("p1"), isTaken: true),
        // Beside an error about all of it nothing tells that it was done.
        WriteAnswer(
            verb: .update, errors: [GraphQLFault("x", path: ["write"])],
            answer: post("p1", second), isTaken: false),
        WriteAnswer(
            verb: .create, errors: [GraphQLFault("x")], answer: post("p1", second), isTaken: false),
        WriteAnswer(
            verb: .delete, errors: [GraphQLFault("x", path: ["other", "title"])],
            answer: post("p1", gone), isTaken: false),
        WriteAnswer(
            verb: .update,
            errors: [GraphQLFault("x", type: "Unauthorized", path: ["write", "title"])],
            answer: post("p1", second), isTaken: true),
    ]

    @Test(arguments: table) func `tells that it was done only where it is about that record`(
        _ row: WriteAnswer
    ) throws {
        let schema = try Schema.parse("type Post @model { id: ID! title: String }")
        let surface = Surface(guessing: schema, isVersioned: row.isVersioned)
        let plan = ModelPlan(
            schema.models[0], in: schema, try #require(surface.models["Post"]))
        let operation: PluginOperation =
            switch row.verb {
            case .create: .create("p1", ["title": "t"])
            case .update: .update("p1", ["title": "t"], on: .int(row.base))
            case .delete: .delete("p1", on: .int(row.base))
            }
        let answer = GraphQLAnswer(
            data: JSONObject([("write", row.answer)]), errors: row.errors)
        let verdict = plan.verdict(on: operation, row.verb, answer, root: "write")
        if case .ok? = verdict {
            #expect(row.isTaken)
        } else {
            #expect(verdict == nil)
            #expect(!row.isTaken)
        }
    }

    /// The kinds of error that, about the whole of a write, say that it was not done.
    @Test(arguments: ["Unauthorized", "ThrottlingException", "ConflictUnhandled", "MyRule", ""])
    func `leaves open what became of it where the error is about a part of the record`(
        _ type: String
    ) throws {
        let plan = try Self.plan("type Post @model { id: ID! title: String }")
        let fault = GraphQLFault("no", type: type, path: ["write", "author", "name"])
        let answer = GraphQLAnswer(data: JSONObject([("write", .null)]), errors: [fault])
        let operations: [(PluginOperation, ModelPlan.Write)] = [
            (.create("p1"), .create), (.update("p1", ["title": "t"], on: 1), .update),
            (.delete("p1", on: 1), .delete),
        ]
        for (operation, verb) in operations {
            let verdict = plan.verdict(on: operation, verb, answer, root: "write")
            #expect(verdict == .unknown(message: "no"))
            #expect(plan.mustLookAfter(operation, answer, root: "write"))
        }
        // One about all of it says more.
        let both = GraphQLAnswer(
            data: JSONObject([("write", .null)]),
            errors: [fault, GraphQLFault("not yours", type: "Unauthorized", path: ["write"])])
        #expect(
            plan.verdict(on: .delete("p1", on: 1), .delete, both, root: "write")?.word
                == "rejected permission")
    }

    /// What the server made of a record of which `{title: "New"}` was sent on version 1.
    static let merges: [(version: Int64, title: JSONValue, body: JSONValue?, word: String)] = [
        (2, "New", .null, "ok"), (3, "New", .null, "ok"), (3, "Theirs", .null, "conflict"),
        (3, "New", "Theirs", "conflict"), (2, "Theirs", .null, "ok"),
    ]

    @Test(arguments: merges)
    func `is a conflict where a merge passed over some of what replaces a record`(
        _ row: (version: Int64, title: JSONValue, body: JSONValue?, word: String)
    ) throws {
        let plan = try Self.plan("type Post @model { id: ID! title: String body: String }")
        let answer = GraphQLAnswer(
            data: JSONObject([
                (
                    "write",
                    .object(
                        JSONObject([
                            ("id", "p1"), ("title", row.title), ("body", row.body ?? .null),
                            ("_version", .int(row.version)), ("_deleted", .null),
                        ]))
                )
            ]))
        var records = [JSONObject([("id", "p1"), ("title", "New")])]
        records.append(records[0].overlaid(with: JSONObject([("body", .null)])))
        for record in records {
            let operation = PluginOperation(
                key: "k", model: "Post", id: RecordID("p1"), kind: .replace, baseVersion: 1,
                set: record,
                record: record)
            let verdict = plan.verdict(on: operation, .update, answer, root: "write")
            #expect(verdict?.word == row.word)
        }
    }

    private static func plan(_ text: String) throws -> ModelPlan {
        let schema = try Schema.parse(text)
        let surface = Surface(guessing: schema, isVersioned: true)
        return ModelPlan(schema.models[0], in: schema, try #require(surface.models["Post"]))
    }
}
