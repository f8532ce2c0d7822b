import Outbox
import Testing

@Suite struct `Waiting to try again` {
    @Test(
        arguments: [
            (1, 1_000), (2, 2_000), (3, 4_000), (9, 256_000), (10, 300_000), (100, 300_000),
        ] as [(Int, Int64)])
    func `doubles from one second to five minutes`(_ attempts: Int, _ bound: Int64) {
        #expect(Backoff.bound(attempts: attempts) == bound)
        #expect(Backoff.delay(attempts: attempts, random: UInt64(bound) - 1) == bound)
        #expect(Backoff.delay(attempts: attempts, random: 0) == 1)
    }
}
