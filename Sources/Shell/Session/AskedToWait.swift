internal import Platform
internal import Storage

/// That the backend asked to be left alone, told once for each such wait.
struct AskedToWait {
    /// Waits that are over before they are read are not told, in milliseconds.
    private static let shortest: Int64 = 10_000

    private let clock: Clock
    private let warn: @Sendable (String) -> Void
    private var told: BackendWait?
    private var lookedAt: Int64 = 0

    init(_ recipe: SyncWorker.Recipe) {
        clock = recipe.clock
        warn = recipe.says.warn
    }

    /// Looks once a second at most.
    mutating func tell(_ store: Store) {
        guard clock.monotonic() - lookedAt >= 1_000 else { return }
        lookedAt = clock.monotonic()
        let now = clock.now()
        do throws(StoreError) {
            guard let wait = try BackendWait.found(in: store, now: now) else { return }
            // One that was put off a little further is the same to a reader.
            if let told, told.until > now { return }
            guard wait.until - now >= Self.shortest else { return }
            told = wait
            warn(wait.text(now: now))
        } catch {
            // What reads the store for its own sake says what is wrong with it.
        }
    }
}
