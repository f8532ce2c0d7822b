internal import JSON

/// A JSON value that must have a certain shape, and the path to it for messages.
struct JSONShape {
    let json: JSONValue
    let path: String

    init(_ json: JSONValue, _ path: String) {
        self.json = json
        self.path = path
    }

    struct Object {
        let members: JSONObject
        let path: String

        func optional(_ key: String) throws(RecordsError) -> JSONShape? {
            guard let value = members[key], !value.isNull else { return nil }
            return JSONShape(value, "\(path).\(key)")
        }

        func required(_ key: String) throws(RecordsError) -> JSONShape {
            guard let value = try optional(key) else {
                throw RecordsError(.schema, "\(path) has no \(key)")
            }
            return value
        }

        /// A boolean that is false when absent.
        func flag(_ key: String) throws(RecordsError) -> Bool {
            guard let shape = try optional(key) else { return false }
            guard case .bool(let value) = shape.json else {
                throw shape.error("is true or false")
            }
            return value
        }
    }

    func object() throws(RecordsError) -> Object {
        guard case .object(let members) = json else { throw error("is an object") }
        return Object(members: members, path: path)
    }

    func pairs() throws(RecordsError) -> [(String, JSONShape)] {
        guard case .object(let members) = json else { throw error("is an object") }
        return members.pairs.map { ($0.key, JSONShape($0.value, "\(path).\($0.key)")) }
    }

    func elements() throws(RecordsError) -> [JSONShape] {
        guard case .array(let values) = json else { throw error("is an array") }
        return values.enumerated().map { JSONShape($0.element, "\(path)[\($0.offset)]") }
    }

    func text() throws(RecordsError) -> String {
        guard case .string(let text) = json else { throw error("is a text") }
        return text
    }

    func strings() throws(RecordsError) -> [String] {
        var result: [String] = []
        for element in try elements() { result.append(try element.text()) }
        return result
    }

    func error(_ expected: String) -> RecordsError {
        RecordsError(.schema, "\(path) \(expected), not \(describe(json))")
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
