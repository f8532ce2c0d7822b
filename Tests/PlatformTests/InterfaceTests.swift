import Glibc
import Platform
import Testing

@Suite struct `Watching network interfaces` {
    private static func bytes<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        bytes(UInt32(16 + body.count)) + bytes(type) + [UInt8](repeating: 0, count: 10) + body
    }

    private static func link(
        _ index: Int32, _ flags: UInt32, type: UInt16 = 16, family: UInt8 = 0
    ) -> [UInt8] {
        message(type, [family, 0, 1, 0] + bytes(index) + bytes(flags) + bytes(UInt32.max))
    }

    private static func address(
        _ last: UInt8, flags: UInt8 = 0x80, type: UInt16 = 20
    ) -> [UInt8] {
        let attribute = bytes(UInt16(8)) + bytes(UInt16(1)) + [10, 0, 0, last]
        return message(type, [2, 24, flags, 0] + bytes(UInt32(3)) + attribute)
    }

    struct Told: CustomTestStringConvertible {
        var testDescription: String
        var datagrams: [[UInt8]]
        /// Whether the last of them is news.
        var isNews: Bool
    }

    static let table = [
        Told(testDescription: "a link", datagrams: [link(1, 0x1)], isNews: true),
        Told(
            testDescription: "the same again", datagrams: [link(1, 0x1), link(1, 0x1)],
            isNews: false),
        Told(
            testDescription: "a link that has a line now",
            datagrams: [link(1, 0x1), link(1, 0x10041)], isNews: true),
        Told(
            testDescription: "a flag that says nothing of it",
            datagrams: [link(1, 0x1), link(1, 0x101)], isNews: false),
        Told(
            testDescription: "a link that is gone",
            datagrams: [link(1, 0x1), link(1, 0x1, type: 17)], isNews: true),
        Told(
            testDescription: "a bridge's word", datagrams: [link(1, 0x1, family: 7)], isNews: false),
        Told(testDescription: "an address", datagrams: [address(1)], isNews: true),
        Told(
            testDescription: "an address whose time was extended",
            datagrams: [address(1), address(1)], isNews: false),
        Told(
            testDescription: "another address", datagrams: [address(1), address(2)], isNews: true),
        Told(
            testDescription: "an address that is no longer being tried",
            datagrams: [address(1, flags: 0xC0), address(1)], isNews: true),
        Told(
            testDescription: "an address that is gone",
            datagrams: [address(1), address(1, type: 21)], isNews: true),
        Told(
            testDescription: "two messages in one",
            datagrams: [link(1, 0x1), link(1, 0x1) + address(1)], isNews: true),
        Told(testDescription: "another subject", datagrams: [message(24, [])], isNews: false),
        Told(testDescription: "an overrun", datagrams: [message(4, [])], isNews: true),
        Told(testDescription: "half a header", datagrams: [[16, 0, 0]], isNews: true),
        Told(
            testDescription: "no length", datagrams: [message(16, []).map { _ in 0 }], isNews: true),
        Told(
            testDescription: "a length beyond the end",
            datagrams: [bytes(UInt32.max) + bytes(UInt16(16)) + bytes(UInt16(0))], isNews: true),
        Told(testDescription: "a body cut short", datagrams: [message(16, [0, 0])], isNews: true),
        Told(
            testDescription: "an attribute longer than its message",
            datagrams: [message(20, [2, 24, 0, 0, 3, 0, 0, 0, 255, 255, 1, 0])], isNews: true),
    ]

    @Test(arguments: table) func `knows what is news`(_ told: Told) {
        var table = InterfaceTable()
        var isNews = false
        for datagram in told.datagrams { isNews = table.take(datagram) }
        #expect(isNews == told.isNews)
    }

    @Test func `takes any bytes, and keeps no more in mind than it must`() {
        var table = InterfaceTable()
        var random = SystemRandomNumberGenerator()
        for index in 0..<20_000 {
            _ = table.take(Self.link(Int32(index), 1))
            let count = Int.random(in: 0..<64, using: &random)
            var noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // A length that fits lets more of it be read.
            if count >= 4 { noise.replaceSubrange(0..<4, with: Self.bytes(UInt32(count))) }
            _ = table.take(noise)
        }
    }

    @Test func `has nothing to tell where nothing happened`() throws {
        var watch = try InterfaceWatch()
        #expect(watch.descriptor != nil)
        // Whatever came before this.
        while watch.hasNews() {}
        #expect(watch.descriptor != nil)
    }
}
