import JSON
import Records
import Sync

/// What is chosen once for a whole run, by name.
package struct Setting: Sendable, Equatable {
    /// Every choice that was made: name and value.
    private(set) var choices: [(name: String, value: String)] = []

    /// Draws a setting, or takes it from `given`, where a choice that is not named is the first.
    init(draw: Draw?, given: [String: String] = [:]) {
        for (name, options) in Setting.all {
            let value =
                draw?.weigh(.value, options.map { ($0.0, name + $0.1, $0.1) })
                ?? given[name] ?? options[0].1
            choices.append((name, value))
        }
        // Without keys nobody could tell a lost answer of a server that takes everything, nor a
        // record by an id that was never told.
        if self["idempotency"] != "key" {
            self["rule"] = "reject"
            self["ids"] = "client"
        }
        if self["idempotency"] == "none" { self["fetch"] = "yes" }
    }

    package static func == (left: Setting, right: Setting) -> Bool {
        left.choices.elementsEqual(right.choices, by: ==)
    }

    subscript(name: String) -> String {
        get { choices.first { $0.name == name }?.value ?? "" }
        set {
            if let place = choices.firstIndex(where: { $0.name == name }) {
                choices[place].value = newValue
            }
        }
    }

    /// The plainest value of each first.
    private static let all: [(String, [(Int, String)])] = [
        ("weather", [(3, "stormy"), (1, "fair"), (1, "calm")]),
        ("idempotency", [(3, "key"), (2, "conditional"), (1, "none")]),
        ("rule", [(3, "reject"), (1, "merge"), (1, "lastWriter")]),
        ("ids", [(3, "client"), (1, "assigned")]),
        ("fetch", [(6, "yes"), (1, "no")]),
        ("delta", [(6, "yes"), (1, "no")]),
        ("events", [(1, "no"), (1, "yes")]),
        ("filters", [(2, "no"), (1, "leaversTold"), (1, "strict")]),
        ("gone", [(1, "ok"), (1, "conflict")]),
        ("oldCursors", [(1, "refused"), (1, "taken")]),
        ("batch", [(1, "5"), (1, "1"), (1, "2"), (1, "3")]),
        ("page", [(1, "5"), (1, "1"), (1, "2"), (1, "3")]),
        ("processes", [(1, "1"), (1, "2")]),
        ("ahead", [(1, "no"), (1, "yes")]),
        ("post", [(4, "manual"), (1, "server"), (1, "local")]),
        (
            "rating",
            [(4, "same"), (1, "max"), (1, "min"), (1, "server"), (1, "local")]
        ),
        ("views", [(1, "same"), (1, "counter")]),
        ("tags", [(1, "same"), (1, "union")]),
        ("body", [(1, "same"), (1, "command:decide")]),
        ("comment", [(3, "manual"), (3, "command:decide"), (1, "server"), (1, "local")]),
        // Who syncs: people by commands, or sessions by themselves.
        ("driver", [(3, "commands"), (1, "sessions")]),
    ]

    // MARK: What the choices mean

    var idempotency: Capabilities.Idempotency { .init(rawValue: self["idempotency"]) ?? .key }
    /// How much rarer than in a storm faults are.
    var calm: UInt64 { ["stormy": 1, "fair": 2, "calm": 8][self["weather"]] ?? 1 }
    var hasSessions: Bool { self["driver"] == "sessions" }
    var assignsIDs: Bool { self["ids"] == "assigned" }

    var capabilities: Capabilities {
        var able = Capabilities()
        able.pushes = true
        able.idempotency = idempotency
        able.batch = Int(self["batch"]) ?? 1
        able.assignsIDs = assignsIDs
        able.hasDelta = self["delta"] == "yes"
        able.hasTombstones = true
        able.hasSnapshot = true
        able.page = Int(self["page"]) ?? 1
        able.filterOperators = self["filters"] == "no" ? [] : ["ge", "lt"]
        able.answersPing = true
        able.hasFetch = self["fetch"] == "yes"
        able.hasEvents = self["events"] == "yes"
        return able
    }

    func policies() throws(RecordsError) -> [String: MergePolicies] {
        var post = MergePolicies(model: try MergePolicy.parse(self["post"]))
        for field in ["rating", "views", "tags", "body"] where self[field] != "same" {
            post.fields[field] = try MergePolicy.parse(self[field])
        }
        return [
            "Post": post, "Comment": MergePolicies(model: try MergePolicy.parse(self["comment"])),
        ]
    }

    /// As a recorded run spells them: only what is not plain.
    var text: String {
        choices.filter { choice in
            Setting.all.first { $0.0 == choice.name }?.1[0].1 != choice.value
        }.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    /// The setting with one choice made plain, for each that is not.
    var simpler: [Setting] {
        Setting.all.compactMap { name, options in
            guard self[name] != options[0].1 else { return nil }
            var given: [String: String] = [:]
            for choice in choices where choice.name != name { given[choice.name] = choice.value }
            let setting = Setting(draw: nil, given: given)
            return setting == self ? nil : setting
        }
    }
}
