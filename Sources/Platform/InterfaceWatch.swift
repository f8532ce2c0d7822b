internal import CSystem
internal import Glibc

/// Tells when one of this machine's network interfaces goes up or down, or gets or loses an address.
package struct InterfaceWatch: ~Copyable {
    private let socket: Descriptor
    private var table = InterfaceTable()
    private var isBroken = false

    /// Messages that one look takes in at most: the next look goes on from there.
    private static let mostMessages = 1_000
    /// More than a message of the kernel's has.
    private static let room = 64 << 10

    /// - Throws: Where the system, or a sandbox, has no such socket.
    package init() throws(SystemError) {
        let number = satchel_interface_socket()
        guard number >= 0 else { throw SystemError("watch network interfaces", code: -number) }
        socket = Descriptor(taking: number)
    }

    /// Readable while there may be news; nil once there will be none any more.
    package var descriptor: Int32? { isBroken ? nil : socket.number }

    /// Takes in what the kernel has told so far, without waiting.
    ///
    /// - Returns: True when anything changed since the last look, or may have.
    package mutating func hasNews() -> Bool {
        var isNews = false
        withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 8) { buffer in
            for _ in 0..<Self.mostMessages {
                let count = satchel_interface_read(socket.number, buffer.baseAddress, buffer.count)
                switch count {
                case Int(-EAGAIN): return
                case Int(-EINTR): continue
                // The kernel had more to tell than was kept for us.
                case Int(-ENOBUFS): isNews = true
                case ..<0:
                    isBroken = true
                    return
                case 0...buffer.count:
                    let message = Array(buffer[..<count])
                    if table.take(message) { isNews = true }
                // Cut short: whatever it said.
                default: isNews = true
                }
            }
        }
        return isNews
    }
}
