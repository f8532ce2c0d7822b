import Sync
import Testing

@Suite struct `A lull` {
    @Test func `is twice as long each time, up to the longest`() {
        var lull = Lull(first: 100, longest: 1_000)
        var now: Int64 = 0
        var pauses: [Int64] = []
        for _ in 0..<6 {
            lull.lengthen(now: now)
            pauses.append((lull.until ?? 0) - now)
            now = lull.until ?? 0
        }
        #expect(pauses == [100, 200, 400, 800, 1_000, 1_000])
        #expect(!lull.isOn(now: now))
        #expect(lull.isOn(now: now - 1))
    }

    @Test func `begins anew after something went well, or after a long time`() {
        var lull = Lull(first: 100, longest: 1_000)
        for now: Int64 in [0, 100] { lull.lengthen(now: now) }
        #expect(lull.until == 300)
        lull.lengthen(now: 1_301)
        #expect(lull.until == 1_401)
        lull.lengthen(now: 1_401)
        lull.end()
        #expect(lull.until == nil && !lull.isOn(now: 1_402))
        lull.lengthen(now: 1_402)
        #expect(lull.until == 1_502)
    }

    @Test func `that is interrupted goes on as long as it would have been`() {
        var lull = Lull(first: 100, longest: 1_000)
        for _ in 0..<3 { lull.lengthen(now: 0) }
        lull.interrupt()
        #expect(!lull.isOn(now: 0))
        lull.lengthen(now: 0)
        #expect(lull.until == 800)
    }

    @Test func `is over where the clock was set back`() {
        var lull = Lull(first: 100, longest: 1_000)
        lull.lengthen(now: 50_000)
        #expect(!lull.isOn(now: 1_000))
    }
}
