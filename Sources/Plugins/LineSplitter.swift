internal import Glibc

/// Collects the bytes of a pipe and gives its lines.
struct LineSplitter: ~Copyable {
    private var buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var scanned = 0
    private var end = 0

    init(capacity: Int) { buffer = .allocate(byteCount: capacity, alignment: 64) }

    deinit { buffer.deallocate() }

    /// The bytes of the line that has no LF yet.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

    /// Reads once; returns what `read` did: bytes, 0 at the end, -1 with errno.
    mutating func fill(from descriptor: Int32) -> Int {
        makeRoom()
        let got = Glibc.read(
            descriptor, buffer.baseAddress.unsafelyUnwrapped + end, buffer.count - end)
        if got > 0 { end += got }
        return got
    }

    /// The next whole line without its LF, valid until the next `fill`.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard scanned < end, let base = buffer.baseAddress else { return nil }
        guard let found = memchr(base + scanned, 10, end - scanned) else {
            scanned = end
            return nil
        }
        let newline = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        let line = UnsafeRawBufferPointer(rebasing: buffer[start..<newline])
        start = newline + 1
        scanned = start
        return line
    }

    /// Forgets the line that has no LF yet.
    mutating func dropRest() {
        start = end
        scanned = end
    }

    private mutating func makeRoom() {
        let count = end - start
        if start > 0 {
            let base = buffer.baseAddress.unsafelyUnwrapped
            if count > 0 { base.copyMemory(from: base + start, byteCount: count) }
            scanned -= start
            start = 0
            end = count
        }
        guard buffer.count - end < buffer.count / 2 else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: buffer.count * 2, alignment: 64)
        larger.copyMemory(from: rest)
        buffer.deallocate()
        buffer = larger
    }
}
