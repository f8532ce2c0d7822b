internal import Glibc

/// The items of a page as JSON, in memory that is written to directly.
final class PageBuffer {
    private(set) var base: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var used = 0
    private(set) var count = 0

    /// A line of the protocol may be twice as long; a page stops here.
    static let limit = 8 << 20

    init() {
        capacity = 256 * 1024
        base = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { base.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: used) }

    /// The place to write up to `room` bytes of the next item to, after its comma.
    func open(room: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - used < room + 1 {
            let larger = max(capacity * 2, used + room + 1)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 64)
            moved.copyMemory(from: base, byteCount: used)
            base.deallocate()
            base = moved
            capacity = larger
        }
        let place = (base + used).assumingMemoryBound(to: UInt8.self)
        guard count > 0 else { return place }
        place.pointee = UInt8(ascii: ",")
        return place + 1
    }

    /// Takes in an item that was written to the place `open` gave.
    func close(_ written: Int) {
        used += written + (count > 0 ? 1 : 0)
        count += 1
    }

    func append(_ item: [UInt8]) {
        let place = open(room: item.count)
        item.withUnsafeBytes { UnsafeMutableRawPointer(place).copyMemory(from: $0) }
        close(item.count)
    }

    /// Takes an item back: the page was full without it.
    func rewind(to mark: (used: Int, count: Int)) {
        used = mark.used
        count = mark.count
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func copyMemory(from bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        copyMemory(from: start, byteCount: bytes.count)
    }
}
