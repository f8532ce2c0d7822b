/// Whether events are to be had, and when to ask for them again: no clock of its own.
struct LiveLine: Sendable, Equatable {
    private(set) var isOpen = false
    /// Not to be opened before, in milliseconds since 1970.
    private(set) var retryAt: Int64 = 0
    private var drops: [Int64] = []
    private var fallbacks = 0
    /// The backend sends no events.
    private var isRefused = false

    /// Three drops within this many milliseconds mean that polling serves better for a while.
    static let flutter: Int64 = 1_000
    static let firstFallback: Int64 = 5_000
    static let longestFallback: Int64 = 300_000

    /// True when it is time to ask; a clock that jumped back does not make it wait for longer.
    func isWanted(now: Int64) -> Bool {
        !isOpen && !isRefused && (retryAt <= now || retryAt - now > LiveLine.longestFallback)
    }

    /// When to ask, in milliseconds since 1970; nil while events come, or none ever will.
    var wantedAt: Int64? { isOpen || isRefused ? nil : retryAt }

    mutating func opened() { isOpen = true }

    /// Nothing arrives any more: whatever happened meanwhile has to be pulled.
    mutating func dropped(now: Int64) {
        isOpen = false
        drops = drops.filter { now - $0 < LiveLine.flutter && $0 <= now } + [now]
        guard drops.count >= 3 else { return }
        retryAt = now + min(LiveLine.firstFallback << Int64(fallbacks), LiveLine.longestFallback)
        fallbacks = min(fallbacks + 1, 6)
        drops = []
    }

    /// The backend sends no events.
    mutating func refused() {
        isOpen = false
        isRefused = true
    }

    /// Events arrived: earlier trouble is over.
    mutating func served() { fallbacks = 0 }
}
