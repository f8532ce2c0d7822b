/// How far a plugin is tested.
package enum ConformanceLevel: String, Sendable, Comparable, CaseIterable {
    case read, write, sync

    package static func < (left: ConformanceLevel, right: ConformanceLevel) -> Bool {
        left != right && (left == .read || right == .sync)
    }
}

/// What came of one check.
package struct ConformanceVerdict: Sendable, Equatable {
    package enum Result: String, Sendable { case ok, failed, skipped }

    package var check: String
    package var level: ConformanceLevel
    package var result: Result
    /// What is wrong, why the check was skipped, or what is to be known of one that is ok.
    package var detail: String?
    /// The lines exchanged, for a check that failed.
    package var transcript: [String] = []
}

/// Why a check did not pass.
enum Shortfall: Error {
    case failed(String)
    /// It does not apply to this plugin.
    case skipped(String)
    case plugin(PluginError)
}
