import JSON
import Records
import Testing

@Suite struct `Merging a local change with a remote one` {
    struct Case: CustomTestStringConvertible {
        var policy: MergePolicy
        var base: JSONValue
        var local: JSONValue
        var remote: JSONValue
        /// The value in the end; nil for a conflict.
        var result: JSONValue?

        init(
            _ policy: MergePolicy, _ base: JSONValue, _ local: JSONValue, _ remote: JSONValue,
            _ result: JSONValue?
        ) {
            self.policy = policy
            self.base = base
            self.local = local
            self.remote = remote
            self.result = result
        }

        var testDescription: String {
            [base, local, remote].map { $0.serialized() }.joined(separator: " ") + " \(policy)"
        }
    }

    static let cases = [
        Case(.manual, 1, 2, 1, 2),
        Case(.manual, 1, 1, 2, 2),
        Case(.manual, 1, 2, 2, 2),
        Case(.manual, 1, 2, 3, nil),
        Case(.manual, nil, "a", "b", nil),
        Case(.manual, .double(1), 2, 1, 2),
        Case(.manual, "2026-01-01T00:00:00Z", "x", "2026-01-01T00:00:00.0Z", nil),
        Case(.server, 1, 2, 3, 3),
        Case(.local, 1, 2, 3, 2),
        Case(.max, 1, 2, 3, 3),
        Case(.max, 1, 4, 3, 4),
        Case(.max, 1, nil, 3, 3),
        Case(.max, 1, 4, nil, 4),
        Case(.max, "a", "2026-02", "2026-01", "2026-02"),
        Case(.max, 1, "a", 3, nil),
        Case(.min, 5, 2, 3, 2),
        Case(.min, 5, 2, nil, 2),
        Case(.min, .int(.max), .int(.max - 1), .double(0x1p63), .int(.max - 1)),
        Case(.union, ["a", "b"], ["a", "c"], ["a", "b", "d"], ["a", "d", "c"]),
        Case(.union, nil, ["a"], ["b", "a"], ["b", "a"]),
        Case(.union, ["a"], nil, ["a", "b"], ["b"]),
        Case(.union, 1, 2, 3, nil),
        Case(.counter, 10, 12, 15, 17),
        Case(.counter, 10, 11, 11, 12),
        Case(.counter, 10, nil, nil, .null),
        Case(.counter, nil, 2, 5, 7),
        Case(.counter, 10, 5, nil, -5),
        Case(.counter, 0, .int(.max), 1, nil),
        Case(.counter, 1, nil, 3, nil),
        Case(.counter, .double(0.5), .double(1.5), 2, 3),
        Case(.counter, 1, "a", 3, nil),
    ]

    @Test(arguments: cases) func `follows the policy`(_ item: Case) {
        let merged = merge(
            set: JSONObject([("f", item.local)]), was: JSONObject([("f", item.base)]),
            remote: JSONObject([("f", item.remote)]), policies: MergePolicies(model: item.policy))
        #expect(merged.needsCommand.isEmpty)
        if let result = item.result {
            #expect(merged.conflicts.isEmpty)
            #expect(merged.set["f"] ?? item.remote == result)
            #expect((merged.set["f"] == nil) == (result == item.remote))
            if merged.set["f"] != nil { #expect(merged.was["f"] == item.remote) }
        } else {
            #expect(merged.set.isEmpty)
            #expect(
                merged.conflicts == [
                    FieldConflict(
                        field: "f", base: item.base, local: item.local, remote: item.remote)
                ])
        }
    }

    @Test(arguments: [
        (MergePolicy.max, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z", false),
        (.min, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z", true),
        (.max, "2026-01-01T10:00:00+09:00", "2026-01-01T09:00:00Z", false),
        (.min, "2026-01-01T10:00:00+09:00", "2026-01-01T09:00:00Z", true),
        (.max, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", false),
    ])
    func `orders dates and times as instants`(
        _ policy: MergePolicy, _ local: String, _ remote: String, _ isLocal: Bool
    ) throws {
        let schema = try Schema.parse("type Post @model { id: ID! seen: AWSDateTime }")
        let model = try #require(schema.model("Post"))
        let merged = merge(
            set: JSONObject([("seen", .string(local))]),
            was: JSONObject([("seen", "2025-01-01T00:00:00Z")]),
            remote: JSONObject([("seen", .string(remote))]),
            policies: MergePolicies(model: policy).ordering(model))
        #expect(merged.conflicts.isEmpty)
        #expect(merged.set["seen"] == (isLocal ? .string(local) : nil))
    }

    @Test func `settles each field by its own policy`() {
        let merged = merge(
            set: JSONObject([("a", 2), ("b", 2), ("c", 2), ("d", 2)]),
            was: JSONObject([("a", 1), ("b", 1)]),
            remote: JSONObject([("a", 3), ("b", 3), ("c", 3)]),
            policies: MergePolicies(
                model: .manual, fields: ["a": .local, "c": .command("./merge")]))
        #expect(merged.set == JSONObject([("a", 2), ("d", 2)]))
        #expect(merged.was == JSONObject([("a", 3), ("d", nil)]))
        #expect(merged.conflicts.map(\.field) == ["b"])
        #expect(merged.needsCommand.map(\.field) == ["c"])
    }

    @Test(arguments: 0..<300) func `keeps its promises for any three records`(seed: Int) {
        var random = SeededRandom(seed)
        let (base, local, remote) = (random.record(), random.record(), random.record())
        let policies = MergePolicies(model: random.pick([.manual, .server, .local, .max, .min]))
        // Unchanged remote: everything is sent. Nothing changed here: nothing is.
        let alone = merge(set: local, was: base, remote: base, policies: policies)
        #expect(alone.conflicts.isEmpty)
        #expect(base.overlaid(with: alone.set) == base.overlaid(with: local))
        #expect(
            merge(set: base, was: base, remote: remote, policies: policies).set.isEmpty
                || base.pairs.contains { remote[$0.key] == nil })
        // A merge is settled: merging its result again changes nothing.
        let once = merge(set: local, was: base, remote: remote, policies: policies)
        let again = merge(set: once.set, was: once.was, remote: remote, policies: policies)
        #expect(again.set == once.set && again.conflicts.isEmpty)
        // What a person must settle is the same whichever side is local.
        let other = merge(
            set: complete(remote), was: base, remote: complete(local),
            policies: MergePolicies(model: .manual))
        let this = merge(
            set: complete(local), was: base, remote: complete(remote),
            policies: MergePolicies(model: .manual))
        #expect(Set(this.conflicts.map(\.field)) == Set(other.conflicts.map(\.field)))
    }

    private func complete(_ record: JSONObject) -> JSONObject {
        JSONObject(["a", "b", "c", "d"].map { ($0, record[$0] ?? .null) })
    }

    @Test func `reads policies as the configuration spells them`() throws {
        #expect(try MergePolicy.parse("counter") == .counter)
        #expect(try MergePolicy.parse("command: ./merge -v") == .command("./merge -v"))
        let error = #expect(throws: RecordsError.self) { try MergePolicy.parse("unoin") }
        #expect(error?.hint == "did you mean union?")
    }
}
