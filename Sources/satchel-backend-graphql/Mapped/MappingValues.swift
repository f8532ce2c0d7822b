package import JSON

/// The values that variables of a document may stand for.
package struct MappingValues: Sendable {
    /// By name: `id`, `key`, `set`, `input`, `record`, `version`, `limit`, `after`, `offset`, `since`.
    private var values: JSONObject

    package init(_ values: JSONObject) { self.values = values }

    /// The names that stand for something of their own.
    static let names =
        [
            "id", "key", "set", "input", "record", "version", "limit", "after", "offset", "since",
        ] + aliases.keys.sorted()

    /// Other names by which APIs call the same.
    private static let aliases = [
        "first": "limit", "patch": "set", "skip": "offset", "cursor": "after", "object": "input",
    ]

    /// The value of `name` or of a member of it, as `key.id`; nil where it is absent.
    ///
    /// A name that is none of ours is that of a field of the record.
    package func value(_ name: String) -> JSONValue? {
        var parts = name.split(separator: ".").map(String.init)
        guard let first = parts.first else { return nil }
        parts.removeFirst()
        guard
            var value = values[first] ?? Self.aliases[first].flatMap({ values[$0] })
                ?? values["input"]?[first] ?? values["key"]?[first]
        else { return nil }
        for part in parts {
            guard let inner = value[part] else { return nil }
            value = inner
        }
        return value
    }

    /// The value for each of the variables, those that are absent left out.
    package func filling(_ names: [String]) -> JSONObject {
        JSONObject(unchecked: names.compactMap { name in value(name).map { (name, $0) } })
    }

    /// Puts values in the place of texts like `"$set"`; members whose value is absent are left out.
    ///
    /// `"$$set"` is the text `$set`.
    package func filling(_ template: JSONValue) -> JSONValue? {
        switch template {
        case .string(let text):
            guard text.utf8.first == UInt8(ascii: "$") else { return template }
            let name = String(text.dropFirst())
            return name.utf8.first == UInt8(ascii: "$") ? .string(name) : value(name)
        case .object(let members):
            var filled = JSONObject()
            for (key, inner) in members.pairs {
                if let value = filling(inner) { filled.append(key, value) }
            }
            return .object(filled)
        case .array(let elements): return .array(elements.compactMap(filling))
        default: return template
        }
    }
}
