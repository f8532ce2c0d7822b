/// Whether events are to be had, and when to ask for them again: no clock of its own.
struct LiveLine: Sendable, Equatable {
    enum Event: Sendable, Equatable {
        case opened
        /// It was asked for events, and still stands.
        case answered
        /// It could not be opened, or nothing arrives any more: whatever happened meanwhile has to be
        /// pulled.
        case dropped
        /// The backend sends no events.
        case refused
    }

    private(set) var isOpen = false
    /// Not to be opened before, in milliseconds since 1970.
    private var retryAt: Int64 = 0
    /// When it was first asked for events since it was opened, and when it last answered.
    private var lived: ClosedRange<Int64>?
    /// Lines in a row that did not last.
    private var drops = 0
    private var fallbacks = 0
    private var isRefused = false

    /// A line that answers for so many milliseconds has lasted.
    ///
    /// How long it took to open it and to pull after it is no reason to open another at once, nor are
    /// events that came before it broke.
    static let lasting: Int64 = 30_000
    /// So many that did not last mean that polling serves better for a while.
    static let patience = 3
    static let firstFallback: Int64 = 5_000
    static let longestFallback: Int64 = 300_000

    /// True when it is time to ask; a clock that jumped back does not make it wait for longer.
    func isWanted(now: Int64) -> Bool {
        !isOpen && !isRefused && (retryAt <= now || retryAt - now > LiveLine.longestFallback)
    }

    /// When to ask, in milliseconds since 1970; nil while events come, or none ever will.
    var wantedAt: Int64? { isOpen || isRefused ? nil : retryAt }

    mutating func receive(_ event: Event, now: Int64) {
        switch event {
        case .opened:
            isOpen = true
            lived = nil
        case .answered:
            let since = min(lived?.lowerBound ?? now, now)
            lived = since...now
        case .dropped: drop(now)
        case .refused:
            isOpen = false
            isRefused = true
        }
    }

    private mutating func drop(_ now: Int64) {
        if isOpen, let lived, lived.upperBound - lived.lowerBound >= LiveLine.lasting {
            (drops, fallbacks) = (0, 0)
        }
        isOpen = false
        drops += 1
        guard drops >= LiveLine.patience else { return }
        let fallback = Lull.delay(
            first: LiveLine.firstFallback, longest: LiveLine.longestFallback, times: fallbacks + 1)
        retryAt = now + fallback
        fallbacks = min(fallbacks + 1, 20)
        drops = 0
    }
}
