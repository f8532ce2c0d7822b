/// The members of a JSON object in their order; keys are unique and compared byte for byte.
///
/// Look-up is linear: records have tens of fields, where scanning beats hashing.
package struct JSONObject: Sendable {
    package typealias Member = (key: String, value: JSONValue)

    package private(set) var pairs: [Member]

    package init() { pairs = [] }

    /// Takes members whose keys the caller knows to differ.
    package init(_ pairs: [(String, JSONValue)]) {
        self.pairs = pairs.map { (key: $0.0, value: $0.1) }
    }

    /// Takes members whose keys the caller knows to differ, without copying them.
    package init(unchecked pairs: [Member]) { self.pairs = pairs }

    package var isEmpty: Bool { pairs.isEmpty }
    package var count: Int { pairs.count }
    package var keys: [String] { pairs.map(\.key) }

    package func index(of key: String) -> Int? {
        pairs.firstIndex { $0.key.sameBytes(as: key) }
    }

    /// Assigning nil removes the member; assigning to a new key appends it.
    package subscript(key: String) -> JSONValue? {
        get { index(of: key).map { pairs[$0].value } }
        set {
            switch (index(of: key), newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// Appends a member whose key the caller knows to be new.
    package mutating func append(_ key: String, _ value: JSONValue) { pairs.append((key, value)) }

    package mutating func reserveCapacity(_ count: Int) { pairs.reserveCapacity(count) }

    /// This object with `other`'s members put over it.
    package func overlaid(with other: JSONObject) -> JSONObject {
        var result = self
        for (key, value) in other.pairs { result[key] = value }
        return result
    }
}

extension JSONObject: Equatable {
    /// Order does not matter; the set of members does.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        for (index, member) in left.pairs.enumerated() {
            // Two states of one record mostly have their members in one order.
            let isThere = right.pairs[index].key.sameBytes(as: member.key)
            guard let other = isThere ? index : right.index(of: member.key),
                right.pairs[other].value == member.value
            else { return false }
        }
        return true
    }
}

extension JSONObject: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
