/// A broken promise: which one, and where.
package struct Violation: Error, CustomStringConvertible {
    package var invariant: String
    package var detail: String
    package var description: String { "\(invariant): \(detail)" }
}
