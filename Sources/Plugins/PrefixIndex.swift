internal import Glibc

/// Finds which of many texts stands at a place, in a time that does not grow with their number.
///
/// However alike the texts are: who sends a thousand secrets that begin the same, and then much that
/// begins so too, must not keep the host busy.
struct PrefixIndex: Sendable {
    /// In the order of their bytes.
    private let texts: [[UInt8]]
    /// Of each text, the longest other one that it begins with.
    private let parents: [Int?]
    /// Of each byte, whether a text begins with it.
    private let starts: [Bool]

    init(_ texts: Set<[UInt8]>) {
        let sorted = texts.filter { !$0.isEmpty }.sorted { first, second in
            first.withUnsafeBytes { first in second.withUnsafeBytes { Self.order(first, $0) < 0 } }
        }
        var parents: [Int?] = []
        var starts = Array(repeating: false, count: 256)
        for (index, text) in sorted.enumerated() {
            starts[Int(text[0])] = true
            // All that begins as the one before does is its child, or its parent's.
            var parent = index > 0 ? index - 1 : nil
            while let above = parent, !text.starts(with: sorted[above]) { parent = parents[above] }
            parents.append(parent)
        }
        self.texts = sorted
        self.parents = parents
        self.starts = starts
    }

    var isEmpty: Bool { texts.isEmpty }

    /// The length of the longest text that `bytes` begin with; nil when they begin with none.
    func longest(at bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first, starts[Int(first)] else { return nil }
        // The last text that is not after the bytes: what they begin with is it or above it.
        var low = 0
        var high = texts.count
        while low < high {
            let middle = (low + high) / 2
            if texts[middle].withUnsafeBytes({ Self.order($0, bytes) }) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var candidate = low > 0 ? low - 1 : nil
        while let index = candidate {
            let count = texts[index].count
            if count <= bytes.count, bytes.prefix(count).elementsEqual(texts[index]) {
                return count
            }
            candidate = parents[index]
        }
        return nil
    }

    private static func order(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Int {
        if let left = one.baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, min(one.count, other.count))
            if order != 0 { return Int(order) }
        }
        return one.count - other.count
    }
}
