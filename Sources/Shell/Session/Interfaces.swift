internal import Platform

/// What the session hears of this machine's network interfaces; nothing where the system has no such
/// news.
struct Interfaces: ~Copyable {
    private var watch: InterfaceWatch?
    private let clock: Clock
    private var restsUntil: Int64 = 0

    /// After a change others are left to come together for so long, in milliseconds: an interface that
    /// comes and goes all the time must not have the backend asked all the time.
    private static let rest: Int64 = 500

    /// - Parameters:
    ///   - isWatching: False hears of nothing.
    ///   - clock: Tells when to listen again.
    ///   - detail: Told why there is nothing to be heard.
    init(isWatching: Bool, clock: Clock, detail: (String) -> Void) {
        self.clock = clock
        guard isWatching else { return }
        do throws(SystemError) {
            watch = try InterfaceWatch()
        } catch {
            detail("the backend is asked by the clock alone: \(error.message)")
        }
    }

    /// What to wait for, and for how many milliseconds at most, -1 for no bound.
    var pending: (descriptors: [Int32], milliseconds: Int64) {
        guard let descriptor else { return ([], -1) }
        let left = restsUntil - clock.monotonic()
        return left > 0 ? ([], left) : ([descriptor], -1)
    }

    private var descriptor: Int32? {
        switch watch {
        case .some(let watch): watch.descriptor
        case .none: nil
        }
    }

    /// True when an interface went up or down, or an address came or went, since the last look.
    mutating func haveChanged() -> Bool {
        let now = clock.monotonic()
        guard now >= restsUntil, watch?.hasNews() ?? false else { return false }
        restsUntil = now + Self.rest
        return true
    }
}
