import Glibc
import JSON
import Testing

@Suite struct `Any bytes at all` {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `are refused, or read and written back for good`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            var bytes = JSONValue.random(depth: 3, using: &random).bytes()
            for _ in 0..<Int.random(in: 0...3, using: &random) { mutate(&bytes, using: &random) }
            guard let value = parsed(bytes) else { continue }
            let written = value.bytes()
            let again = try JSONValue.parse(written)
            #expect(again == value, "seed \(seed)")
            #expect(again.bytes() == written, "seed \(seed)")
            // JSON5 takes every JSON text, and reads the same value.
            #expect(try JSONValue.parseJSON5(bytes).bytes() == written, "seed \(seed)")
        }
    }

    @Test func `are read no further than they go`() throws {
        let page = sysconf(Int32(_SC_PAGESIZE))
        let map = try #require(
            mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(map, 2 * page) }
        try #require(map != MAP_FAILED)
        try #require(mprotect(map + page, page, PROT_NONE) == 0)
        let texts = [
            "1", "-", "tru", "true", "\"", "\"a", "\"\\", "\"abcdefgh\"", "{\"a", "{\"a\"", "[1.",
            "[\"\\u00", "{\"key\":\"value\"}", "1e5", "[\"\\ud83d",
            String(repeating: " ", count: 130),
            String(repeating: "[", count: 64), "{\"\(String(repeating: "k", count: 51))\":[0.5]}",
        ]
        for text in texts {
            let start = map + (page - text.utf8.count)
            UnsafeMutableRawBufferPointer(start: start, count: text.utf8.count).copyBytes(
                from: text.utf8)
            let bytes = UnsafeRawBufferPointer(start: start, count: text.utf8.count)
            // The page behind the text would end this process.
            #expect(parsed(bytes)?.serialized() == parsed(Array(text.utf8))?.serialized())
        }
    }

    private func mutate(_ bytes: inout [UInt8], using random: inout SeededRandom) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        let pieces = [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "-", "1", ".", "e", " ", "\u{c}", "\\u",
        ]
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            bytes.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8, at: index)
        case 1 where index < bytes.count: bytes.remove(at: index)
        case 2 where index < bytes.count:
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default: bytes.removeLast(min(3, bytes.count))
        }
    }
}

private func parsed(_ bytes: [UInt8]) -> JSONValue? { bytes.withUnsafeBytes { parsed($0) } }

private func parsed(_ bytes: UnsafeRawBufferPointer) -> JSONValue? {
    do { return try JSONValue.parse(bytes) } catch { return nil }
}
