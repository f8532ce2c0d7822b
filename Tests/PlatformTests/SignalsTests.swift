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
            let signals = try Signals.start()
            let interrupt = signals.interrupt.descriptor
            try Machine.send(Self.interrupt, to: Machine.processID)
            #expect(Poll.wait(reading: [interrupt], milliseconds: 120_000) == [interrupt])
            #expect(signals.interrupt.count == 1)
            #expect(signals.interrupt.signal == Self.interrupt)
            signals.interrupt.reset()
            #expect(!signals.interrupt.isRaised)
            try Machine.send(Self.terminate, to: Machine.processID)
            #expect(Poll.wait(reading: [interrupt], milliseconds: 120_000) == [interrupt])
            #expect(signals.interrupt.signal == Self.terminate)
            signals.interrupt.reset()
            #expect(!Poll.isReadable(signals.interrupt.descriptor))
            try Machine.send(Self.resize, to: Machine.processID)
            let ready = Poll.wait(reading: [signals.resized.descriptor], milliseconds: 120_000)
            #expect(ready == [signals.resized.descriptor])
            #expect(!signals.interrupt.isRaised)
        }
    }
}
