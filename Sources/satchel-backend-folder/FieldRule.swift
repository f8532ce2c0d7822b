internal import JSON

/// What a value of one field has to be.
struct FieldRule {
    private var isRequired = false
    private var minLength: Int64?
    private var maxLength: Int64?
    private var min: JSONValue?
    private var max: JSONValue?
    private var choices: [JSONValue]?
    private var pattern: (text: String, regex: Regex<AnyRegexOutput>)?

    /// Reads `{"max_length":80,"pattern":"..","required":true}`; `place` is for messages.
    ///
    /// A rule this build does not know is an error: to ignore it would let through what the
    /// folder's owner forbids.
    init(_ value: JSONValue, of place: String) throws(Rules.Broken) {
        guard let members = value.members else {
            throw Rules.Broken(message: "the rules of \(place) are no object")
        }
        for (name, operand) in members.pairs {
            switch (name, operand) {
            case ("required", .bool(let flag)): isRequired = flag
            case ("min_length", .int(let length)): minLength = length
            case ("max_length", .int(let length)): maxLength = length
            case ("min", .int), ("min", .double): min = operand
            case ("max", .int), ("max", .double): max = operand
            case ("enum", .array(let values)): choices = values
            case ("pattern", .string(let text)): pattern = (text, try Self.regex(text, place))
            default:
                throw Rules.Broken(
                    message: "\(place) has the rule \(name): \(operand.serialized()), "
                        + "which Satchel does not know")
            }
        }
    }

    private static func regex(
        _ text: String, _ place: String
    ) throws(Rules.Broken) -> Regex<AnyRegexOutput> {
        do {
            return try Regex(text).matchingSemantics(.unicodeScalar)
        } catch {
            throw Rules.Broken(message: "the pattern of \(place) is no regular expression: \(text)")
        }
    }

    /// What is wrong with a value; nil when nothing is.
    func complaint(about value: JSONValue, named name: String) -> String? {
        if value.isNull { return isRequired ? "\(name) is required" : nil }
        if let length = value.length {
            if let maxLength, length > maxLength {
                return "\(name) has a length of \(length), at most \(maxLength) is allowed"
            }
            if let minLength, length < minLength {
                return "\(name) has a length of \(length), at least \(minLength) is asked for"
            }
        }
        if let number = value.number {
            if let max, let limit = max.number, number > limit {
                return "\(name) is \(value.serialized()), at most \(max.serialized()) is allowed"
            }
            if let min, let limit = min.number, number < limit {
                return "\(name) is \(value.serialized()), at least \(min.serialized()) is asked for"
            }
        }
        if let choices, !choices.contains(value) {
            return "\(name) is \(value.serialized()), which is none of "
                + choices.map { $0.serialized() }.joined(separator: ", ")
        }
        if let pattern, let text = value.text, !pattern.regex.isFound(in: text) {
            return "\(name) does not match the pattern \(pattern.text)"
        }
        return nil
    }
}

extension Regex<AnyRegexOutput> {
    /// A pattern that fails while it runs matches nothing.
    fileprivate func isFound(in text: String) -> Bool {
        do {
            return try firstMatch(in: text) != nil
        } catch {
            return false
        }
    }
}

extension JSONValue {
    /// Unicode scalars of a text, elements of a list.
    fileprivate var length: Int64? {
        switch self {
        case .string(let text): Int64(text.unicodeScalars.count)
        case .array(let elements): Int64(elements.count)
        default: nil
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .big(let digits): Double(digits)
        default: nil
        }
    }
}
