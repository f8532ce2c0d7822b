internal import Platform
internal import PluginKit

extension PushRun {
    /// Milliseconds after which a push sends nothing more: the host waits five minutes at most, and
    /// what it does not hear of has to be looked up record by record.
    private static let sending: Int64 = 30_000
    /// Milliseconds that answers are waited for once the host gave up.
    private static let patience: Int64 = 1_500

    /// Does the work of a call, in pieces that a host can wait for.
    ///
    /// - Throws: Why nothing at all was done.
    mutating func run(_ call: PluginCall) throws(PluginError) -> [PluginVerdict?] {
        let clock = Clock.system
        let begun = clock.monotonic()
        let total = count
        var cancelledAt: Int64?
        return try run { (done) throws(PluginError) -> Bool in
            let now = clock.monotonic()
            if cancelledAt == nil, call.isCancelled { cancelledAt = now }
            if let cancelledAt {
                guard now - cancelledAt < Self.patience else { throw .cancelled }
                return false
            }
            call.progress(done, of: total)
            return now - begun < Self.sending
        }
    }
}
