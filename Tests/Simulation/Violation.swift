/// A broken promise: which one, and where.
struct Violation: Error, CustomStringConvertible {
    var invariant: String
    var detail: String
    var description: String { "\(invariant): \(detail)" }
}
