internal import Platform
internal import Sync

/// What the session hears of this machine's network interfaces; nothing where the system has no such
/// news.
struct Interfaces: ~Copyable {
    private var watch: InterfaceWatch?
    private let clock: Clock
    /// After a change others are left to come together, in milliseconds for half a second at first: one
    /// that comes and goes all the time must not have the backend asked all the time, which the clock
    /// has done as often as the longest of these.
    private var rest = Lull(first: 500, longest: 30_000)

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
        let now = clock.monotonic()
        guard rest.isOn(now: now), let until = rest.until else { return ([descriptor], -1) }
        return ([], until - now)
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
        guard !rest.isOn(now: now), watch?.hasNews() ?? false else { return false }
        rest.lengthen(now: now)
        return true
    }
}
