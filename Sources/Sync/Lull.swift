/// A pause between attempts that bring nothing on: twice as long each time, no clock of its own.
package struct Lull: Sendable, Equatable {
    /// In milliseconds since the epoch of the caller's clock; nil where nothing waits.
    package private(set) var until: Int64?
    private var times = 0
    private let first: Int64
    private let longest: Int64

    /// - Parameters:
    ///   - first: The first pause, in milliseconds.
    ///   - longest: The longest, in milliseconds; nothing for as long again makes the next the first.
    package init(first: Int64, longest: Int64) {
        self.first = first
        self.longest = longest
    }

    /// An attempt at `now` brought nothing on.
    package mutating func lengthen(now: Int64) {
        if let until, now >= until, now - until > longest { times = 0 }
        times += 1
        until = now + Lull.delay(first: first, longest: longest, times: times)
    }

    /// The next attempt need not wait: the one after it does, if that brings nothing on either.
    package mutating func interrupt() { until = nil }

    /// One did.
    package mutating func end() {
        until = nil
        times = 0
    }

    /// True while to wait; farther off than anything may be, the clock has jumped back.
    package func isOn(now: Int64) -> Bool {
        until.map { now < $0 && $0 - now <= longest } ?? false
    }

    /// The pause after so many `times`, at least one, in milliseconds.
    static func delay(first: Int64, longest: Int64, times: Int) -> Int64 {
        min(first << Int64(min(max(times - 1, 0), 20)), longest)
    }
}
