internal import JSON
internal import PluginKit

/// Members of `config`, or of an object in it, each read as what it has to be.
///
/// What is absent or null is as usual; anything else that does not fit is refused, with its place: kind
/// `.permanent`.
struct SettingValues {
    let members: JSONObject
    /// The key of the object, such as `mapping.models.Post`; nil for `config` itself.
    private let place: String?

    init(_ members: JSONObject, at place: String? = nil) {
        self.members = members
        self.place = place
    }

    /// The whole key of a member.
    func key(_ name: String) -> String { place.map { "\($0).\(name)" } ?? name }

    /// The value; nil where it is absent or null.
    func value(_ name: String) -> JSONValue? {
        guard let value = members[name], !value.isNull else { return nil }
        return value
    }

    func text(_ name: String) throws(PluginError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else {
            let words = value.integer.map { ": write \"\($0)\" with its quotes" } ?? ""
            throw .setting(key(name), "it is a text\(words)")
        }
        return text
    }

    /// A name as GraphQL has them.
    func name(_ key: String) throws(PluginError) -> String? {
        guard let name = try text(key) else { return nil }
        guard name.isGraphQLName else {
            throw .setting(self.key(key), "\"\(name)\" is no name that GraphQL has")
        }
        return name
    }

    /// True or false, which comes as a text from `--set`; false where it is absent.
    func flag(_ name: String) throws(PluginError) -> Bool {
        switch value(name) {
        case nil, false, "false": return false
        case true, "true": return true
        default: throw .setting(key(name), "it is true or false")
        }
    }

    /// A number within a range; it comes as a text from `--set`.
    func number(_ name: String, in range: ClosedRange<Int64>) throws(PluginError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.integer ?? value.text.flatMap({ Int64($0) }),
            range.contains(number)
        else {
            throw .setting(
                key(name),
                range.upperBound == .max
                    ? "it is a number, \(range.lowerBound) at least"
                    : "it is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ usual: Choice
    ) throws(PluginError) -> Choice {
        guard let value = value(name) else { return usual }
        guard let choice = value.text.flatMap(Choice.init(rawValue:)) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .setting(key(name), "it is one of \(words)")
        }
        return choice
    }

    func texts(_ name: String) throws(PluginError) -> [String] {
        guard let value = value(name) else { return [] }
        guard let elements = value.elements, elements.allSatisfy({ $0.text != nil }) else {
            throw .setting(key(name), "it is a list of names, as [\"id\"]")
        }
        return elements.compactMap(\.text)
    }

    func textsByName(_ name: String) throws(PluginError) -> [String: String] {
        guard let value = value(name) else { return [:] }
        guard let members = value.members else {
            throw .setting(key(name), "it has a text for each name, as {\"postId\": \"post_id\"}")
        }
        var texts: [String: String] = [:]
        for (inner, value) in members.pairs {
            guard let text = value.text else {
                throw .setting("\(key(name)).\(inner)", "it is a text")
            }
            texts[inner] = text
        }
        return texts
    }
}

extension String {
    /// True for letters, digits and underscores of which the first is no digit.
    var isGraphQLName: Bool {
        guard let first = utf8.first, !(0x30...0x39 ~= first) else { return false }
        return utf8.allSatisfy { byte in
            0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x5F
        }
    }
}
