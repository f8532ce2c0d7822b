package import Platform

/// A line on stderr that tells how far a long run is; silent where nobody would see it.
package struct Progress {
    private let label: String
    private let total: Int?
    private let sink: (any ByteSink)?
    private let width: Int
    private let clock: Clock
    private let started: Int64
    private var lastDrawn: Int64
    private var isDrawn = false
    package private(set) var count = 0

    /// Starts at nothing.
    ///
    /// - Parameters:
    ///   - label: Such as "importing Post"; shown first.
    ///   - total: How many there will be, where that is known: it gives the time left.
    ///   - sink: Standard error when it is a terminal, else nil.
    ///   - width: The terminal's: a line that wrapped could not be taken away.
    ///   - clock: Only its monotonic side is used.
    package init(
        _ label: String, total: Int? = nil, to sink: (any ByteSink)?, width: Int = 80, clock: Clock
    ) {
        self.label = Sanitizer.show(label)
        self.total = total
        self.sink = sink
        self.width = width
        self.clock = clock
        started = clock.monotonic()
        // Runs that end within half a second never show a line.
        lastDrawn = started + Self.delay - Self.interval
    }

    private static let delay: Int64 = 500
    private static let interval: Int64 = 100

    /// Counts on; draws at most ten times a second.
    package mutating func advance(by step: Int = 1) {
        count += step
        guard let sink else { return }
        let now = clock.monotonic()
        guard now - lastDrawn >= Self.interval else { return }
        lastDrawn = now
        draw(now, on: sink)
    }

    /// Takes the line away, so that what follows starts on a clean one.
    package mutating func finish() {
        guard isDrawn, let sink else { return }
        isDrawn = false
        show("\r\u{1b}[K", on: sink)
    }

    private mutating func draw(_ now: Int64, on sink: any ByteSink) {
        isDrawn = true
        let line = line(after: now - started).cut(toWidth: width - 1)
        show("\r\(line)\u{1b}[K", on: sink)
    }

    /// Progress is a courtesy: a stderr that went away does not stop the work.
    private func show(_ text: String, on sink: any ByteSink) {
        do throws(SystemError) {
            try sink.write(text)
            try sink.flush()
        } catch {}
    }

    /// Such as "importing Post: 12,000 of 50,000, 8,000/s, 5 s left".
    private func line(after milliseconds: Int64) -> String {
        let rate = milliseconds > 0 ? Int(Int64(count) * 1000 / milliseconds) : 0
        var text = "\(label): \(Quantity.grouped(count))"
        if let total { text += " of \(Quantity.grouped(total))" }
        text += ", \(Quantity.grouped(rate))/s"
        if let total, total > count, rate > 0 {
            text += ", \(Quantity.duration(seconds: (total - count + rate - 1) / rate)) left"
        }
        return text
    }
}
