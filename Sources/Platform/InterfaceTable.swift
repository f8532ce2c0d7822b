/// What is known of network interfaces, from the kernel's messages: which of them are news.
///
/// The kernel also tells of what stays as it is, such as a wireless network being looked for, or an
/// address whose time was extended.
package struct InterfaceTable: Sendable, Equatable {
    /// By the interface's number: whether it is up, and has a line.
    private var links: [Int32: UInt32] = [:]
    /// Whether it is only being tried, by address.
    private var addresses: [[UInt8]: Bool] = [:]

    /// Interfaces, and addresses, that are kept in mind.
    private static let most = 4_096

    package init() {}

    /// Takes one datagram in: messages of https://man7.org/linux/man-pages/man7/netlink.7.html in the
    /// machine's byte order.
    ///
    /// - Returns: True when something changed, or what is said cannot be read.
    package mutating func take(_ datagram: [UInt8]) -> Bool {
        var isNews = false
        var rest = datagram[...]
        while !rest.isEmpty {
            guard let length = rest.number(at: 0, as: UInt32.self).map(Int.init),
                let type = rest.number(at: 4, as: UInt16.self), length >= Self.header,
                length <= rest.count
            else { return true }
            let body = rest.dropFirst(Self.header).prefix(length - Self.header)
            if take(type, body) { isNews = true }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return isNews
    }

    private mutating func take(_ type: UInt16, _ body: ArraySlice<UInt8>) -> Bool {
        switch type {
        case Self.newLink, Self.deletedLink: takeLink(body, isGone: type == Self.deletedLink)
        case Self.newAddress, Self.deletedAddress:
            takeAddress(body, isGone: type == Self.deletedAddress)
        case Self.overrun: true
        default: false
        }
    }

    private mutating func takeLink(_ body: ArraySlice<UInt8>, isGone: Bool) -> Bool {
        guard let family = body.number(at: 0, as: UInt8.self),
            let index = body.number(at: 4, as: Int32.self),
            let flags = body.number(at: 8, as: UInt32.self)
        else { return true }
        // What a bridge says of its ports.
        guard family == 0 else { return false }
        let state = flags & (Self.isUp | Self.isRunning | Self.hasLine)
        let before = isGone ? links.removeValue(forKey: index) : links[index]
        if !isGone {
            if links.count >= Self.most { links = [:] }
            links[index] = state
        }
        return isGone || before != state
    }

    private mutating func takeAddress(_ body: ArraySlice<UInt8>, isGone: Bool) -> Bool {
        guard body.count >= Self.addressHeader, let flags = body.number(at: 2, as: UInt8.self)
        else { return true }
        // All that names it: family, prefix and interface, and the address itself.
        let head = body.prefix(Self.addressHeader)
        var key = Array(head.prefix(2) + head.suffix(4))
        var rest = body.dropFirst(Self.addressHeader)
        while let length = rest.number(at: 0, as: UInt16.self).map(Int.init),
            let type = rest.number(at: 2, as: UInt16.self), length >= 4, length <= rest.count
        {
            if type == Self.address || type == Self.local { key += rest.prefix(length) }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        let isTentative = flags & Self.isTentative != 0
        let before = isGone ? addresses.removeValue(forKey: key) : addresses[key]
        if !isGone {
            if addresses.count >= Self.most { addresses = [:] }
            addresses[key] = isTentative
        }
        return isGone || before != isTentative
    }
}

// As linux/netlink.h, linux/rtnetlink.h, linux/if_addr.h and net/if.h number them.
extension InterfaceTable {
    private static let header = 16
    private static let addressHeader = 8
    private static let overrun: UInt16 = 4
    private static let newLink: UInt16 = 16
    private static let deletedLink: UInt16 = 17
    private static let newAddress: UInt16 = 20
    private static let deletedAddress: UInt16 = 21
    private static let address: UInt16 = 1
    private static let local: UInt16 = 2
    private static let isUp: UInt32 = 0x1
    private static let isRunning: UInt32 = 0x40
    private static let hasLine: UInt32 = 0x10000
    private static let isTentative: UInt8 = 0x40
}

extension ArraySlice<UInt8> {
    /// The number that stands so many bytes in, in the machine's order; nil beyond the end.
    fileprivate func number<N: FixedWidthInteger>(at place: Int, as type: N.Type) -> N? {
        guard place >= 0, place + MemoryLayout<N>.size <= count else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: type) }
    }
}
