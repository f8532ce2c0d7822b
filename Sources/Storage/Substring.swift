/// Finds a text within another whatever the case of their letters.
enum Substring {
    /// The form in which the wanted text is given: its bytes in lower case.
    static func folded(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }

    static func isIn(
        _ text: UnsafeRawBufferPointer, folded wanted: UnsafeRawBufferPointer
    ) -> Bool {
        if wanted.isEmpty { return true }
        guard text.allSatisfy({ $0 < 0x80 }) else {
            // Beyond ASCII a letter and its lower case may differ in length.
            var lower = String(decoding: text, as: UTF8.self).lowercased()
            return lower.withUTF8 { contains(UnsafeRawBufferPointer($0), wanted) }
        }
        return containsASCII(text, wanted)
    }

    private static func contains(
        _ text: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer
    ) -> Bool {
        guard text.count >= wanted.count else { return false }
        let first = wanted[0]
        for start in 0...(text.count - wanted.count) where text[start] == first {
            if text[start..<start + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }

    private static func containsASCII(
        _ text: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer
    ) -> Bool {
        guard text.count >= wanted.count else { return false }
        let first = wanted[0]
        for start in 0...(text.count - wanted.count) where lowered(text[start]) == first {
            var index = 1
            while index < wanted.count, lowered(text[start + index]) == wanted[index] { index += 1 }
            if index == wanted.count { return true }
        }
        return false
    }

    @inline(__always)
    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}
