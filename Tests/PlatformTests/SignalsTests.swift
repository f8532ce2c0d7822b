import Platform
import Testing

@Suite struct `Signals of the system` {
    /// The numbers of SIGINT, SIGTERM and SIGWINCH on Linux.
    static let interrupt: Int32 = 2
    static let terminate: Int32 = 15
    static let resize: Int32 = 28

    @Test func `become tokens, counted and told apart`() async {
        // In a process of its own: it takes signals to its end.
        await #expect(processExitsWith: .success) {
            let seen = try Mailbox<Int>()
            let signals = try Signals.start { number, count in seen.put(Int(number) * 10 + count) }
            try Machine.send(Self.interrupt, to: Machine.processID)
            #expect(seen.take(within: 5_000) == 21)
            #expect(Poll.isReadable(signals.interrupt.descriptor))
            try Machine.send(Self.terminate, to: Machine.processID)
            #expect(seen.take(within: 5_000) == 152)
            #expect(signals.interrupt.signal == Self.terminate)
            signals.interrupt.reset()
            #expect(!Poll.isReadable(signals.interrupt.descriptor))
            try Machine.send(Self.resize, to: Machine.processID)
            let ready = Poll.wait(reading: [signals.resized.descriptor], milliseconds: 5_000)
            #expect(ready == [signals.resized.descriptor])
            #expect(!signals.interrupt.isRaised)
        }
    }
}
