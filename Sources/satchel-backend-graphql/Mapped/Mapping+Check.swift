package import JSON
package import PluginKit
internal import Records

// What a mapping may say: what is misspelt would otherwise be taken for left out.

extension Mapping {
    private static let keys = ["like", "live", "live_url", "models"] + ofAll
    /// What is said of all models at once.
    static let ofAll = ["version", "deleted", "since", "outcomes"]
    private static let ofModel =
        steps + [
            "type", "fields", "version", "deleted", "since", "assigns_ids", "numbers", "documents",
            "missing", "subscribe", "outcomes",
        ]
    static let steps = ["list", "delta", "get", "create", "update", "delete"]
    private static let ofStep = [
        "query", "variables", "result", "items", "item", "errors", "current", "next", "more",
        "until",
    ]
    private static let ofSubscription = ofStep + ["tells", "deleted", "window"]

    /// Refuses a mapping, if there is one, with words in it that mean nothing.
    ///
    /// - Throws: Kind `.permanent`, naming the place, and the word that may be meant.
    package static func check(_ config: JSONObject) throws(PluginError) {
        _ = try Mapping(config)
    }

    /// As `check`, of the mapping's own words.
    static func check(words: JSONObject) throws(PluginError) {
        try check(words, at: "mapping", among: keys)
        _ = try ModelMapping(
            SettingValues(
                JSONObject(unchecked: words.pairs.filter { ofAll.contains($0.key) }), at: "mapping"),
            type: "")
        guard let models = words["models"], !models.isNull else { return }
        guard let entries = models.members else {
            throw .setting("mapping.models", "it has an entry for each model")
        }
        for (name, value) in entries.pairs {
            let place = "mapping.models.\(name)"
            guard let entry = value.members else {
                throw .setting(place, "it has steps, such as list")
            }
            try check(entry, at: place, among: ofModel)
            _ = try ModelMapping(SettingValues(entry, at: place), type: name)
            for key in steps {
                guard let step = entry[key] else { continue }
                try check(step: step, at: "\(place).\(key)", among: ofStep)
            }
            if let deletion = entry["deleted"]?.members {
                try check(deletion, at: "\(place).deleted", among: ["field", "value"])
            }
            guard let live = entry["subscribe"] else { continue }
            for step in live.elements ?? [live] {
                try check(step: step, at: "\(place).subscribe", among: ofSubscription)
            }
        }
    }

    private static func check(
        step: JSONValue, at place: String, among keys: [String]
    ) throws(PluginError) {
        if let members = step.members { try check(members, at: place, among: keys) }
        for text in texts(of: step) {
            for word in MappingStep.placeholders(in: text) where !MappedPlan.words.contains(word) {
                let meant = didYouMean(word, among: MappedPlan.words)
                throw PluginError(
                    .permanent, "config.\(place): ${\(word)} stands for nothing",
                    hint: meant.map { "did you mean ${\($0)}?" }
                        ?? "there is " + MappedPlan.words.map { "${\($0)}" }.joined(separator: ", ")
                )
            }
        }
    }

    /// The texts in which placeholders are filled in.
    private static func texts(of step: JSONValue) -> [String] {
        if let text = step.text { return [text] }
        return (step.members?.pairs ?? []).filter { $0.key != "variables" }
            .compactMap(\.value.text)
    }

    private static func check(
        _ words: JSONObject, at place: String, among known: [String]
    ) throws(PluginError) {
        for key in words.keys where !known.contains(key) {
            throw .unknown("\(place).\(key)", last: key, among: known)
        }
    }
}

extension ModelMapping {
    /// Refuses a document whose variables stand for nothing: they would be left out.
    ///
    /// - Throws: Kind `.permanent`, naming the place, and the variable that may be meant.
    func check(against model: Model) throws(PluginError) {
        var known = MappingValues.names
        for field in model.fields { known += [field.name, fields[field.name] ?? field.name] }
        let all: [(String, MappingStep?)] = [
            ("list", list), ("delta", delta), ("get", get), ("create", create),
            ("update", update), ("delete", delete),
        ]
        for (name, step) in all {
            for word in step?.wanted ?? [] where !known.contains(word) {
                let meant = didYouMean(word, among: known)
                throw PluginError(
                    .permanent,
                    "config.mapping.models.\(model.name).\(name): $\(word) stands for nothing, "
                        + "and \(model.name) has no such field",
                    hint: meant.map { "did you mean $\($0)?" }
                        ?? "there is "
                        + MappingValues.names.map { "$\($0)" }.joined(separator: ", "))
            }
        }
    }
}

extension MappingStep {
    /// The names between `${` and `}`.
    static func placeholders(in text: String) -> [String] {
        var names: [String] = []
        var rest = text
        while let start = rest.range(ofText: "${") {
            rest = String(rest[start.upperBound...])
            guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "}")) else { return names }
            names.append(String(rest[..<end]))
            rest = String(rest[end...])
        }
        return names
    }

    /// The names of the values that it sends.
    fileprivate var wanted: [String] {
        guard let variables else { return declared }
        return Self.names(in: variables)
    }

    private static func names(in template: JSONValue) -> [String] {
        switch template {
        case .string(let text):
            guard text.utf8.first == UInt8(ascii: "$"), !text.hasPrefix("$$") else { return [] }
            return text.dropFirst().split(separator: ".").first.map { [String($0)] } ?? []
        case .array(let elements): return elements.flatMap(names)
        case .object(let members): return members.pairs.flatMap { names(in: $0.value) }
        default: return []
        }
    }
}
