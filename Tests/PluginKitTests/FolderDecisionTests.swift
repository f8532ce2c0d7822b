import JSON
import PluginKit
import Records
import Testing

@testable import satchel_backend_folder

@Suite struct `Deciding on an operation` {
    struct Case: CustomTestStringConvertible {
        var kind: Mutation.Kind
        var base: JSONValue?
        var stored: StoredRecord?
        var decision: Decision
        var testDescription: String {
            "\(kind) on base \(base?.serialized() ?? "-") where \(String(describing: stored)) is"
        }
    }

    private static func kept(_ version: Int64) -> StoredRecord {
        StoredRecord(version: version, record: JSONObject([("title", "old"), ("extra", 1)]))
    }
    private static func gone(_ version: Int64) -> StoredRecord {
        StoredRecord(version: version, record: nil)
    }
    private static func wanted(_ version: Int64) -> Decision {
        .apply(StoredRecord(version: version, record: JSONObject([("title", "new")])))
    }

    static let table = [
        Case(kind: .create, base: nil, stored: nil, decision: wanted(1)),
        Case(kind: .create, base: nil, stored: kept(1), decision: .stale),
        Case(kind: .create, base: nil, stored: gone(3), decision: wanted(4)),
        Case(
            kind: .update, base: 2, stored: kept(2),
            decision: .apply(
                StoredRecord(version: 3, record: JSONObject([("title", "new"), ("extra", 1)])))),
        Case(kind: .update, base: 1, stored: kept(2), decision: .stale),
        Case(kind: .update, base: nil, stored: kept(2), decision: .stale),
        Case(kind: .update, base: "2", stored: kept(2), decision: .stale),
        Case(kind: .update, base: 2, stored: gone(2), decision: .stale),
        Case(kind: .update, base: 2, stored: nil, decision: .stale),
        Case(kind: .replace, base: 2, stored: kept(2), decision: wanted(3)),
        Case(kind: .replace, base: 1, stored: kept(2), decision: .stale),
        Case(kind: .replace, base: nil, stored: kept(2), decision: .stale),
        Case(kind: .replace, base: nil, stored: nil, decision: wanted(1)),
        Case(kind: .replace, base: nil, stored: gone(2), decision: wanted(3)),
        Case(kind: .replace, base: 2, stored: gone(2), decision: wanted(3)),
        Case(kind: .replace, base: 1, stored: gone(2), decision: .stale),
        Case(kind: .replace, base: 1, stored: nil, decision: .stale),
        Case(kind: .delete, base: 2, stored: kept(2), decision: .apply(gone(3))),
        Case(kind: .delete, base: 1, stored: kept(2), decision: .stale),
        Case(kind: .delete, base: 1, stored: gone(2), decision: .unchanged),
        Case(kind: .delete, base: 1, stored: nil, decision: .unchanged),
    ]

    @Test(arguments: table) func `goes by the version`(_ trial: Case) {
        let operation = PluginOperation(
            key: "k", model: "Post", id: RecordID("a"), kind: trial.kind, baseVersion: trial.base,
            set: JSONObject([("title", "new")]),
            record: trial.kind == .delete ? nil : JSONObject([("title", "new")]))
        #expect(Decision(operation, on: trial.stored, rules: Rules()) == trial.decision)
    }

    @Test func `goes by the rules of the model`() throws {
        let rules = try Rules(Array(#"{"Post":{"title":{"max_length":2}}}"#.utf8))
        let operation = PluginOperation(
            key: "k", model: "Post", id: RecordID("a"), kind: .create,
            record: JSONObject([("title", "new")]))
        guard case .rejected(let breach) = Decision(operation, on: nil, rules: rules) else {
            Issue.record("the rule was not kept")
            return
        }
        #expect(breach.field == "title")
    }
}
