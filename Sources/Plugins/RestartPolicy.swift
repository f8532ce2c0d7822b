/// When a plugin that died may be started again: at once the first time, then ever later.
struct RestartPolicy {
    private var deaths = 0
    private var startedAt: Int64 = 0
    private var notBefore: Int64 = 0

    /// A plugin that ran this long is healthy again.
    private static let probation: Int64 = 60_000

    mutating func started(at now: Int64) { startedAt = now }

    mutating func died(at now: Int64) {
        if now - startedAt >= Self.probation { deaths = 0 }
        deaths += 1
        guard deaths > 1 else { return }
        notBefore = now + min(1_000 << Int64(min(deaths - 2, 6)), 60_000)
    }

    /// Milliseconds to wait before it may be started; nil for none.
    func delay(at now: Int64) -> Int64? { notBefore > now ? notBefore - now : nil }
}
