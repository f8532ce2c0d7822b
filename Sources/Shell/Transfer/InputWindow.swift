internal import Platform

/// The part of a file that is being looked at: it slides forward and grows to hold one record.
final class InputWindow {
    /// The largest record taken.
    static let limit = 16 << 20

    private let source: any ByteSource
    private var buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    private(set) var isAtEnd = false

    init(_ source: any ByteSource, block: Int = 256 * 1024) {
        self.source = source
        buffer = .allocate(byteCount: block, alignment: 64)
    }

    deinit { buffer.deallocate() }

    /// The bytes in view, from the first that is not consumed; valid until the next `more`.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    }

    func consume(_ count: Int) { start += count }

    /// Brings more bytes into view behind those that are; false at the end of the file.
    func more() throws(ShellError) -> Bool {
        guard !isAtEnd else { return false }
        makeRoom()
        do throws(SystemError) {
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            end += count
            isAtEnd = count == 0
            return count > 0
        } catch {
            isAtEnd = true
            throw ShellError(error)
        }
    }

    /// Gives up what is in view and everything behind it.
    func abandon() {
        start = end
        isAtEnd = true
    }

    /// The first bytes of the file without a byte-order mark, at least one line or `count` bytes.
    func beginning(_ count: Int = 4096) throws(ShellError) -> UnsafeRawBufferPointer {
        while bytes.count < count, !bytes.contains(0x0A), try more() {}
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { consume(3) }
        return bytes
    }

    private func makeRoom() {
        guard start > 0 || end == buffer.count else { return }
        let held = bytes
        if buffer.count - held.count >= buffer.count / 2 {
            if let from = held.baseAddress {
                buffer.baseAddress.unsafelyUnwrapped.copyMemory(from: from, byteCount: held.count)
            }
        } else {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: buffer.count * 2, alignment: 64)
            larger.copyMemory(from: held)
            buffer.deallocate()
            buffer = larger
        }
        end = held.count
        start = 0
    }
}
