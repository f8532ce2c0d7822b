package import JSON
package import PluginKit

/// One document of a mapping: what is sent, and where in the answer the result is.
package struct MappingStep: Sendable, Equatable {
    /// The document, with `${fields}` and its like still in it.
    package var text: String
    /// What its variables are; nil where each has the value of its own name.
    package var variables: JSONValue?
    /// Where the record is, or the list of them.
    package var result: AnswerPath
    /// In each element of the list, where the record is.
    package var item: AnswerPath
    /// Where the errors are that the payload holds.
    package var errors: AnswerPath?
    /// In a conflict, where the record is as it is now.
    package var current: AnswerPath?
    /// Where the next page begins.
    package var next: AnswerPath?
    /// Whether there is one.
    package var more: AnswerPath?
    /// Up to when the answer holds all changes: the next delta's `$since`.
    package var until: AnswerPath?
    /// The names of the variables that the document declares.
    package let declared: [String]

    /// Reads a step as `satchel.json` has it: a text, or an object with `query`.
    ///
    /// - Throws: Kind `.permanent`, naming the place.
    package init(_ json: JSONValue, at place: String) throws(PluginError) {
        let words = json.text.map { JSONObject([("query", .string($0))]) } ?? json.members
        guard let words, let text = words["query"]?.text, !text.isEmpty else {
            throw .setting(place, "it is a document, or an object with a query")
        }
        self.text = text
        declared = Self.declared(text)
        let values = SettingValues(words, at: place)
        variables = values.value("variables")
        guard variables.map({ $0.members != nil }) ?? true else {
            throw .setting(
                "\(place).variables", "it has a value for each, as {\"id\": \"$key.id\"}")
        }
        func path(_ key: String) throws(PluginError) -> AnswerPath? {
            guard let value = words[key], !value.isNull else { return nil }
            guard let text = value.text else {
                throw .setting("\(place).\(key)", "it is a path such as posts.nodes")
            }
            return AnswerPath(text)
        }
        let items = try path("items")
        let told = try path("result")
        guard let result = items ?? told ?? Self.root(text) else {
            throw .setting(place, "say where in the answer the result is: result")
        }
        self.result = result
        item = try path("item") ?? AnswerPath("")
        errors = try path("errors")
        current = try path("current")
        next = try path("next")
        more = try path("more")
        until = try path("until")
    }

    /// True when the value of that name goes with the document.
    package func uses(_ name: String) -> Bool {
        guard let variables else { return declared.contains(name) }
        return Self.mentions(variables, "$\(name)")
    }

    /// The request, with its placeholders and variables filled in.
    package func request(
        _ words: [String: String], _ values: MappingValues, isMutation: Bool = false
    ) -> GraphQLRequest {
        var text = text
        for (name, word) in words { text = text.replacing("${\(name)}", with: word) }
        let filled = variables.flatMap(values.filling)?.members ?? values.filling(declared)
        return GraphQLRequest(
            Document(text, path: result.parts, isMutation: isMutation), filled)
    }

    /// The same with names filled into its paths.
    package func named(_ words: [String: String]) -> MappingStep {
        func named(_ path: AnswerPath) -> AnswerPath {
            var path = path
            path.parts = path.parts.map { part in
                words.reduce(part) { $0.replacing("${\($1.key)}", with: $1.value) }
            }
            return path
        }
        var step = self
        step.result = named(result)
        step.item = named(item)
        step.errors = errors.map(named)
        step.current = current.map(named)
        step.next = next.map(named)
        step.more = more.map(named)
        step.until = until.map(named)
        return step
    }

    private static func mentions(_ json: JSONValue, _ word: String) -> Bool {
        switch json {
        case .string(let text): text == word || text.hasPrefix("\(word).")
        case .array(let elements): elements.contains { mentions($0, word) }
        case .object(let members): members.pairs.contains { mentions($0.value, word) }
        default: false
        }
    }

    /// What stands after `$` between the parentheses that follow the operation's name.
    private static func declared(_ text: String) -> [String] {
        guard let open = text.firstIndex(where: { $0 == "(" || $0 == "{" }), text[open] == "("
        else { return [] }
        var names: [String] = []
        var depth = 0
        var name: String?
        for character in text[open...] {
            if let known = name {
                if character.isLetter || character.isNumber || character == "_" {
                    name = known + String(character)
                    continue
                }
                names.append(known)
                name = nil
            }
            switch character {
            case "$": name = ""
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            default: break
            }
            if depth == 0 { break }
        }
        return names
    }

    /// The first field of the operation, by its alias where it has one.
    private static func root(_ text: String) -> AnswerPath? {
        var depth = 0
        for (index, character) in zip(text.indices, text) {
            switch character {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{" where depth == 0:
                let rest = text[text.index(after: index)...].drop(while: \.isWhitespace)
                let name = rest.prefix { $0.isLetter || $0.isNumber || "_${}".contains($0) }
                let word = name.utf8.first == UInt8(ascii: "$") || !name.contains("{") ? name : ""
                return word.isEmpty ? nil : AnswerPath(String(word))
            case "{": depth += 1
            case "}": depth -= 1
            default: break
            }
        }
        return nil
    }
}

extension String {
    /// With every `text` in it made another.
    func replacing(_ text: String, with other: String) -> String {
        var result = ""
        var rest = self
        while let range = rest.range(ofText: text) {
            result += rest[..<range.lowerBound] + other
            rest = String(rest[range.upperBound...])
        }
        return result + rest
    }
}
