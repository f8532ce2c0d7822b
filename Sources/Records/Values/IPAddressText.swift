/// IPv4 and IPv6 addresses as text, with an optional prefix length.
enum IPAddressText {
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var address = bytes[...]
        var length: Int?
        if let slash = bytes.firstIndex(of: UInt8(ascii: "/")) {
            guard let number = number(bytes[(slash + 1)...], upTo: 128) else { return false }
            length = number
            address = bytes[..<slash]
        }
        if address.contains(UInt8(ascii: ":")) { return isIPv6(address) }
        return isIPv4(address) && length ?? 0 <= 32
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, upTo limit: Int)
        -> Int?
    {
        guard (1...3).contains(digits.count), digits.allSatisfy(isDigit),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return value <= limit ? value : nil
    }

    private static func isIPv4(_ address: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let parts = address.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { number($0, upTo: 255) != nil }
    }

    // https://www.rfc-editor.org/rfc/rfc4291#section-2.2
    private static func isIPv6(_ address: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let colon = UInt8(ascii: ":")
        var parts = address.split(separator: colon, omittingEmptySubsequences: false)
        var groups = 0
        var isShortened = false
        // "::" at an end leaves two empty parts there, elsewhere one.
        if parts.count >= 3, parts[0].isEmpty {
            guard parts[1].isEmpty else { return false }
            parts.removeFirst()
        }
        if parts.count >= 2, parts[parts.count - 1].isEmpty {
            guard parts[parts.count - 2].isEmpty else { return false }
            parts.removeLast()
        }
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                guard !isShortened else { return false }
                isShortened = true
            } else if part.contains(UInt8(ascii: ".")) {
                guard index == parts.count - 1, isIPv4(part) else { return false }
                groups += 2
            } else {
                guard part.count <= 4, part.allSatisfy(isHexadecimal) else { return false }
                groups += 1
            }
        }
        return isShortened ? groups < 8 : groups == 8
    }
}
