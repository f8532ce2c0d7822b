internal import JSON

extension JSONValue {
    /// A delay that a plugin announces, in milliseconds, within what can be waited for: a day.
    var delay: Int64? { integer.map { min(max($0, 0), 86_400_000) } }
}
