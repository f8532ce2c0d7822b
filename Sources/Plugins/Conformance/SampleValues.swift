internal import JSON
internal import Records

/// What is written into fields, by what backends are known to spoil.
enum SampleValues {
    /// An ordinary value.
    case usual
    /// What a program may take for nothing: 0, false, an empty text, an empty list.
    case empty
    /// Texts of every kind of character.
    case odd
    /// Texts that look like numbers, numbers that look like others.
    case deceptive
    /// Whole numbers of 32 bits, long texts.
    case large
    /// Whole numbers that no double holds.
    case huge
    /// Lists that are not sorted, and have a value twice.
    case ordered

    private static let texts: [Scalar: String] = [
        .id: "kit-1", .string: "satchel plugin test", .date: "2024-01-31", .time: "12:30:00",
        .dateTime: "2024-01-31T12:30:00.000Z", .email: "kit@example.com",
        .json: #"{"kit":[1,"two",null,{"three":true}]}"#, .url: "https://example.com/",
        .phone: "+15555550100", .ipAddress: "192.0.2.1",
    ]

    /// The value for a field; nil where there is none of the kind.
    ///
    /// `depth` is how far in nested types it is: those may hold themselves.
    func value(of field: Field, in schema: Schema, depth: Int = 0) -> JSONValue? {
        guard field.isList else { return element(of: field, in: schema, depth) }
        switch self {
        case .empty: return []
        case .ordered:
            guard let elements = ordered(field, in: schema) else { return nil }
            return .array(elements)
        case .usual, .odd, .deceptive, .large, .huge:
            guard let element = element(of: field, in: schema, depth) else { return nil }
            return [element]
        }
    }

    private func element(of field: Field, in schema: Schema, _ depth: Int) -> JSONValue? {
        switch field.type {
        case .enumeration(let name):
            guard self == .usual, let value = schema.enumType(name)?.values.first else {
                return nil
            }
            return .string(value)
        case .nested(let name):
            guard depth < 3, let nested = schema.nestedType(name) else { return nil }
            var members = JSONObject()
            for field in nested.fields {
                if let value = value(of: field, in: schema, depth: depth + 1) {
                    members.append(field.name, value)
                } else if field.isRequired,
                    let usual = Self.usual.value(of: field, in: schema, depth: depth + 1)
                {
                    members.append(field.name, usual)
                }
            }
            return .object(members)
        case .scalar(let scalar): return value(of: scalar)
        }
    }

    private func value(of scalar: Scalar) -> JSONValue? {
        switch (self, scalar) {
        case (.usual, .int): 7
        case (.usual, .float): .double(1.5)
        case (.usual, .boolean): true
        case (.usual, .timestamp): 1_706_704_200
        case (.usual, _):
            if let text = Self.texts[scalar] { .string(text) } else { .none }
        case (.empty, .string): ""
        case (.empty, .int), (.empty, .float), (.empty, .timestamp): 0
        case (.empty, .boolean): false
        case (.odd, .string):
            .string("Grüße, 世界 🎈 e\u{301} \"quoted\" 'too' \\ / <b>&amp;</b> %s\n\tnext line")
        case (.odd, .json): #"{"ünï \"q\"":"世界","list":[],"zero":0}"#
        case (.odd, .float): .double(-0.000_1)
        case (.deceptive, .string): "007"
        case (.deceptive, .float): 3
        case (.deceptive, .json): "12"
        case (.deceptive, .int): 1
        case (.large, .string): .string(String(repeating: "long text ", count: 150))
        case (.large, .int): .int(Int64(Int32.min))
        case (.large, .float): .double(1_234_567_890.123_4)
        case (.large, .timestamp): 4_102_444_800
        case (.huge, .int): 9_007_199_254_740_993
        case (.huge, .json): #"{"number":9007199254740993}"#
        default: .none
        }
    }

    /// A list whose order and length both tell.
    private func ordered(_ field: Field, in schema: Schema) -> [JSONValue]? {
        switch field.type {
        case .enumeration(let name):
            let values = schema.enumType(name)?.values.map { JSONValue.string($0) } ?? []
            guard let first = values.first, let last = values.last else { return nil }
            return [last, first, last]
        case .scalar(.string), .scalar(.id): return ["m", "b", "z", "b", "a"]
        case .scalar(.int), .scalar(.timestamp): return [30, 2, 100, 2, 0]
        case .scalar(.float): return [.double(2.5), .double(-1.25), 10, .double(2.5)]
        case .scalar(.boolean): return [true, false, true]
        case .scalar, .nested: return nil
        }
    }
}

extension Field {
    /// True when the two say the same in this field: a backend may spell a time or JSON its way.
    func agrees(_ wanted: JSONValue, _ found: JSONValue?, in schema: Schema) -> Bool {
        guard let found = found?.unlessNull else { return wanted.isNull }
        guard isList else { return agrees(element: wanted, found, in: schema) }
        guard let wanted = wanted.elements, let found = found.elements,
            wanted.count == found.count
        else { return false }
        return zip(wanted, found).allSatisfy { agrees(element: $0, $1, in: schema) }
    }

    private func agrees(
        element wanted: JSONValue, _ found: JSONValue, in schema: Schema
    ) -> Bool {
        switch (type, wanted, found) {
        case (.scalar(.json), .string(let some), .string(let other)):
            do throws(JSONError) {
                return try JSONValue.parse(some) == JSONValue.parse(other)
            } catch {
                return false
            }
        case (.scalar(let scalar), .string(let some), .string(let other)):
            if some.sameBytes(as: other) { return true }
            guard let instant = Instant.parse(some, as: scalar) else { return false }
            return Instant.parse(other, as: scalar) == instant
        case (.nested(let name), .object(let some), .object(let others)):
            guard let nested = schema.nestedType(name) else { return some == others }
            return nested.fields.allSatisfy { field in
                field.agrees(some[field.name] ?? .null, others[field.name], in: schema)
            }
        default: return wanted == found
        }
    }
}
