internal import JSON

/// Takes the values of a settings file apart, strictly: each mistake names its line and column.
struct ConfigReader {
    /// The file's name in messages; nil for a text that is in no file yet.
    let file: String?
    private let document: JSON5Document

    /// - Throws: Kind `.input` for bytes that are no JSON5.
    init(_ bytes: [UInt8], file: String?) throws(ShellError) {
        self.file = file
        do throws(JSONError) {
            document = try JSON5Document(bytes)
        } catch {
            throw ShellError(error, in: file ?? Workspace.fileName)
        }
    }

    var root: JSONValue { document.value }

    /// The members of an object, whose keys are all known.
    func members(
        of value: JSONValue, at path: [String], keys: [String]? = nil
    ) throws(ShellError) -> JSONObject {
        guard let members = value.members else { throw mismatch(value, at: path, "an object") }
        guard let keys else { return members }
        for key in members.keys where !keys.contains(where: { $0.sameBytes(as: key) }) {
            throw error(
                "there is no setting \"\(key)\" here", at: path + [key],
                hint: Suggestion.hint(for: key, among: keys)
                    ?? "known here: \(keys.joined(separator: ", "))")
        }
        return members
    }

    func text(_ value: JSONValue, at path: [String]) throws(ShellError) -> String {
        guard let text = value.text else { throw mismatch(value, at: path, "a text") }
        guard !text.isEmpty else { throw error("is empty", at: path) }
        return text
    }

    func texts(_ value: JSONValue, at path: [String]) throws(ShellError) -> [String] {
        guard let elements = value.elements else {
            throw mismatch(value, at: path, "a list of texts")
        }
        var texts: [String] = []
        for element in elements { texts.append(try text(element, at: path)) }
        return texts
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ value: JSONValue, at path: [String], _: Choice.Type
    ) throws(ShellError) -> Choice where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue)
        let name = try text(value, at: path)
        guard let choice = Choice(rawValue: name) else {
            throw error(
                "is one of \(names.joined(separator: ", ")), not \"\(name)\"", at: path,
                hint: Suggestion.hint(for: name, among: names))
        }
        return choice
    }

    /// Such as `satchel.json:4:7: contexts.default.sync is one of auto, manual, not "x"`.
    ///
    /// What is in no file was typed: then it has no line, and is of kind `.usage`.
    func error(_ message: String, at path: [String], hint: String? = nil) -> ShellError {
        guard let file else {
            let name = path.joined(separator: ".")
            let colon = message.hasPrefix("there is no") ? ":" : ""
            return .usage(
                path.isEmpty ? message : "\(name)\(colon) \(message)", hint: hint)
        }
        let place = document.position(of: path).map { ":\($0.line):\($0.column)" } ?? ""
        let isUnknown = message.hasPrefix("there is no")
        let name = isUnknown || path.isEmpty ? "" : path.joined(separator: ".") + " "
        return ShellError(.input, "\(file)\(place): \(name)\(message)", hint: hint)
    }

    private func mismatch(
        _ value: JSONValue, at path: [String], _ wanted: String
    ) -> ShellError {
        let found =
            switch value {
            case .null: "null"
            case .bool: "true or false"
            case .int, .double, .big: "a number"
            case .string: "a text"
            case .array: "a list"
            case .object: "an object"
            }
        return error(
            path.isEmpty ? "the file is \(found), not \(wanted)" : "is \(found), not \(wanted)",
            at: path)
    }
}
