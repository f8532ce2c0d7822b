/// When to try again: full jitter over a delay that doubles from one second to five minutes.
package struct Backoff: Sendable, Equatable {
    private static let firstMilliseconds: Int64 = 1_000
    package static let capMilliseconds: Int64 = 300_000

    /// The longest delay after `attempts` failures, in milliseconds.
    package static func bound(attempts: Int) -> Int64 {
        let doublings = min(max(attempts - 1, 0), 20)
        return min(firstMilliseconds << Int64(doublings), capMilliseconds)
    }

    /// A delay in milliseconds, at least 1, drawn evenly from up to the bound.
    package static func delay(attempts: Int, random: UInt64) -> Int64 {
        Int64(random % UInt64(bound(attempts: attempts))) + 1
    }
}
