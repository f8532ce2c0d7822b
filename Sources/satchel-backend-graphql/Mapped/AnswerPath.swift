package import JSON

/// A place in an answer: names and numbers with dots between, as `posts.edges.0.node`.
package struct AnswerPath: Sendable, Equatable {
    package var parts: [String]

    /// The path that a text spells; an empty one is the value itself.
    package init(_ text: String) {
        parts = text.split(separator: ".").map(String.init)
    }

    /// What is there; nil where there is nothing or null.
    package func value(in root: JSONValue) -> JSONValue? {
        var value = root
        for part in parts {
            if case .array(let elements) = value {
                guard let place = Int(part), elements.indices.contains(place) else { return nil }
                value = elements[place]
            } else {
                guard let inner = value[part] else { return nil }
                value = inner
            }
        }
        // A conditional expression would make JSON's null of nil.
        if value.isNull { return nil }
        return value
    }

    /// True where an answer tells of the place, be it that nothing is there; false where the path
    /// leads past all that there is.
    package func isTold(in root: JSONValue) -> Bool {
        var value = root
        for part in parts {
            switch value {
            case .null: return true
            case .array(let elements):
                guard let place = Int(part) else { return false }
                guard elements.indices.contains(place) else { return true }
                value = elements[place]
            default:
                guard let inner = value[part] else { return false }
                value = inner
            }
        }
        return true
    }
}
