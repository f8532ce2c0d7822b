/// How long the host waits for a plugin, in milliseconds.
package struct Deadlines: Sendable {
    package var initialize: Int64 = 5_000
    package var ping: Int64 = 5_000
    package var pull: Int64 = 30_000
    package var fetch: Int64 = 10_000
    package var push: Int64 = 60_000
    /// `schema`, `subscribe` and `configure`.
    package var other: Int64 = 30_000
    package var shutdown: Int64 = 2_000
    /// Without a line for so long a plugin is said to be silent; it is waited for all the same.
    package var silence: Int64 = 3_000
    /// The most that `progress` extends any of them to.
    package var longest: Int64 = 300_000
    /// How long a cancelled request may still be answered; 0 gives it up at once.
    package var cancel: Int64 = 2_000
    /// After its input was closed.
    package var closing: Int64 = 2_000
    /// After SIGTERM.
    package var terminating: Int64 = 2_000

    package init() {}

    package func limit(of method: PluginMethod) -> Int64 {
        switch method {
        case .initialize: initialize
        case .ping: ping
        case .pull: pull
        case .fetch: fetch
        case .push: push
        case .schema, .subscribe, .configure: other
        case .shutdown: shutdown
        }
    }
}

/// A request of protocol 1.
package enum PluginMethod: String, Sendable, CaseIterable {
    case initialize, schema, ping, pull, fetch, push, subscribe, configure, shutdown
}
