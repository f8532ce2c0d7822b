/// A JSON value whose numbers are exact and whose texts compare byte for byte.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits.
    case int(Int64)
    /// Any other finite number whose double is written the way the number came.
    case double(Double)
    /// A number that neither of the above would write as it came, such as `1.50` or 23 digits.
    case big(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Texts are equal when their bytes are: "é" and "e\u{301}" are two values here.
    ///
    /// Numbers are equal when they are the same number, however they are spelled: 1.50 equals 1.5.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Double(exactly: a) == b
        case (.big(let a), .big(let b)) where a.sameBytes(as: b): true
        case (.big(let a), .big(let b)): JSONDecimal(a) == JSONDecimal(b)
        case (.big(let a), .int(let b)), (.int(let b), .big(let a)):
            JSONDecimal(a) == JSONDecimal(b.description)
        case (.big(let a), .double(let b)), (.double(let b), .big(let a)):
            b.isFinite && JSONDecimal(a) == JSONDecimal(b.description)
        case (.string(let a), .string(let b)): a.sameBytes(as: b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value)
        case .big(let text):
            if case .big = canonicalNumber {
                hasher.combine(JSONDecimal(text))
            } else {
                canonicalNumber.hash(into: &hasher)
            }
        case .string(var text):
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members.count)
        }
    }
}

extension JSONValue {
    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The text of a string; nil for every other kind.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, if it is a 64-bit integer.
    package var integer: Int64? { if case .int(let value) = self { value } else { nil } }

    package var boolean: Bool? { if case .bool(let value) = self { value } else { nil } }

    package var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    package var members: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member named `key` of an object; nil for other kinds and for a missing member.
    package subscript(key: String) -> JSONValue? { members?[key] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(nilLiteral: ()) { self = .null }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

extension String {
    /// True when both texts have the same UTF-8 bytes; `==` would also equate canonical forms.
    ///
    /// Inlined, because every look-up of a key spends its time here.
    @inlinable @inline(__always)
    package func sameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).sameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        guard case .some(.some(let areSame)) = areSame else {
            return utf8.elementsEqual(other.utf8)
        }
        return areSame
    }
}

extension UnsafeRawBufferPointer {
    /// True when two buffers of one length have the same bytes.
    @inlinable @inline(__always)
    package func sameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while count - index >= 8 {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
            index += 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index += 1
        }
        return true
    }
}
