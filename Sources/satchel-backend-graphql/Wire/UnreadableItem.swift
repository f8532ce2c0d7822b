package import JSON

/// An item of a list in an answer that is no JSON to be taken, while the rest of the answer is.
package struct UnreadableItem: Sendable, Equatable {
    /// Why it cannot be read.
    package let reason: String
    /// The item as it came.
    package let text: String

    /// A name that begins so is GraphQL's own: no API has a field of this one.
    private static let key = "__unreadable"

    /// Where an answer has its lists: an API's own, and those of connections.
    private static let lists: [[String?]] = [
        ["data", nil], ["data", nil, "items"], ["data", nil, "nodes"], ["data", nil, "edges"],
    ]

    /// The item that stands in a list; nil when it is one that was read.
    package init?(_ item: JSONObject) {
        guard item.count == 1, let parts = item[Self.key]?.elements, parts.count == 2,
            let reason = parts[0].text, let text = parts[1].text
        else { return nil }
        self.reason = reason
        self.text = text
    }

    /// Reads an answer in which some items cannot be read; they are held by what stands for them.
    ///
    /// - Returns: Nil when it is no JSON besides.
    package static func read(_ answer: [UInt8]) -> JSONValue? {
        let rows = lists.map { path in
            JSONRows(path, of: [], maxDepth: 500) { row in
                guard let fault = row.fault else { return row.whole }
                let stand = JSONValue.array([.string(fault.message), .string(row.text)])
                return .object(JSONObject([(key, stand)]))
            }
        }
        do throws(JSONError) {
            return try answer.span.bytes.withUnsafeBytes { (bytes) throws(JSONError) in
                try JSONValue.parse(bytes, rows: rows)
            }
        } catch {
            return nil
        }
    }

    /// The members of the item that can be read by themselves.
    package func members(_ names: [String]) -> JSONObject {
        let values = text.utf8Span.span.bytes.withUnsafeBytes {
            JSONValue.members(names, ofUnreadable: $0)
        }
        var members = JSONObject()
        for (name, value) in zip(names, values) {
            if let value { members.append(name, value) }
        }
        return members
    }
}
