package import Platform
internal import Synchronization

/// Makes UUIDs of version 7 (RFC 9562): they sort by the time they were made, also within one
/// millisecond of this process.
package final class Identifiers: Sendable {
    fileprivate struct State {
        var millisecond: Int64 = 0
        /// The random bits behind the time: those of the first word, then those of the second,
        /// which are counted up within a millisecond.
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
            let text = UnsafeMutableRawBufferPointer(bytes)
            let middle = digits(UInt32(truncatingIfNeeded: first))
            let clock = digits(UInt32(truncatingIfNeeded: second >> 32))
            // Later words overwrite what earlier ones wrote too far.
            text.storeBytes(of: digits(UInt32(first >> 32)), toByteOffset: 0, as: UInt64.self)
            text.storeBytes(of: middle, toByteOffset: 9, as: UInt64.self)
            text.storeBytes(of: middle >> 32, toByteOffset: 14, as: UInt64.self)
            text.storeBytes(of: clock, toByteOffset: 19, as: UInt64.self)
            text.storeBytes(of: clock >> 32, toByteOffset: 24, as: UInt64.self)
            text.storeBytes(
                of: digits(UInt32(truncatingIfNeeded: second)), toByteOffset: 28, as: UInt64.self)
            for dash in [8, 13, 18, 23] { bytes[dash] = UInt8(ascii: "-") }
            return 36
        }
    }

    /// The eight hexadecimal digits of a number, the first in the lowest byte.
    @inline(__always)
    private static func digits(_ number: UInt32) -> UInt64 {
        // Half a byte into each byte, then all of them to letters at once.
        var spread = UInt64(number.byteSwapped)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }
}

extension Identifiers.State {
    fileprivate mutating func take() -> UInt8 { pool.popLast() ?? 0 }
}
