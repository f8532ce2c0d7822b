package import Platform
internal import Synchronization

/// Makes UUIDs of version 7 (RFC 9562): they sort by the time they were made, also within one
/// millisecond of this process.
package final class Identifiers: Sendable {
    fileprivate struct State {
        var millisecond: Int64 = 0
        /// The 74 bits behind the time; counted up within a millisecond.
        var high: UInt16 = 0
        var low: UInt64 = 0
        var pool: [UInt8] = []
    }

    private let clock: Clock
    private let state = Mutex(State())

    package init(clock: Clock) { self.clock = clock }

    package func next() -> String {
        let (time, high, low) = state.withLock { state in
            let now = clock.now()
            if now > state.millisecond {
                state.millisecond = now
                if state.pool.count < 10 { state.pool = RandomBytes.make(count: 4_000) }
                // The top bit stays free, so that counting up cannot run over within one tick.
                state.high = UInt16(state.take()) << 4 & 0x0FF0 | UInt16(state.take()) & 0x0F
                state.low = 0
                for _ in 0..<8 { state.low = state.low << 8 | UInt64(state.take()) }
                state.low &= 0x1FFF_FFFF_FFFF_FFFF
            } else {
                // Also where the clock went back: order is worth more than the exact time.
                state.low &+= 0x1_0000_0001
                if state.low > 0x3FFF_FFFF_FFFF_FFFF {
                    state.low &= 0x3FFF_FFFF_FFFF_FFFF
                    state.millisecond += 1
                }
            }
            return (UInt64(state.millisecond), UInt64(state.high), state.low)
        }
        return Self.text(time << 16 | 0x7000 | high, 0x8000_0000_0000_0000 | low)
    }

    private static func text(_ first: UInt64, _ second: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { bytes in
            var place = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    bytes[place] = UInt8(ascii: "-")
                    place += 1
                }
                let word = index < 16 ? first : second
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
                bytes[place] = digit < 10 ? digit + 48 : digit + 87
                place += 1
            }
            return place
        }
    }
}

extension Identifiers.State {
    fileprivate mutating func take() -> UInt8 { pool.popLast() ?? 0 }
}
