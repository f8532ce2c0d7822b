package import Sabotage

/// Runs `body` against an engine with that fault, where the build can hold any.
package func sabotaged<T>(by fault: Sabotage?, _ body: () throws -> T) rethrows -> T {
    #if SABOTAGE
        try Sabotage.$active.withValue(fault, operation: body)
    #else
        try body()
    #endif
}

extension Sabotage {
    /// True in builds that can hold faults.
    package static var isPossible: Bool {
        #if SABOTAGE
            true
        #else
            false
        #endif
    }

    package var name: String { "\(self)" }

    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
