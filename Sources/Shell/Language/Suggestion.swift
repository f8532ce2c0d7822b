/// Finds the name somebody meant when they typed one that is not there.
package enum Suggestion {
    /// A hint such as `did you mean "list"?`; nil when nothing is near.
    package static func hint(for word: String, among names: some Sequence<String>) -> String? {
        nearest(to: word, among: names).map { "did you mean \"\($0)\"?" }
    }

    /// The name nearest to `word`: a few slips away, or the only one it begins.
    package static func nearest(to word: String, among names: some Sequence<String>) -> String? {
        let typed = folded(word)
        guard !typed.isEmpty else { return nil }
        let allowed = typed.count <= 3 ? 1 : typed.count <= 7 ? 2 : 3
        var best: (name: String, slips: Int)?
        var begun: [String] = []
        for name in names {
            let candidate = folded(name)
            if candidate.starts(with: typed) { begun.append(name) }
            let slips = slips(typed, candidate, atMost: allowed)
            if slips <= allowed, slips < best?.slips ?? Int.max { best = (name, slips) }
        }
        if let best, best.slips <= 1 { return best.name }
        return begun.count == 1 ? begun[0] : best?.name
    }

    /// Letters without case and without the separators people mix up.
    private static func folded(_ word: String) -> [UInt8] {
        word.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
            default: byte
            }
        }
    }

    /// Insertions, removals, changes and swaps of neighbours between two words; any number over
    /// `limit` stands for "more".
    private static func slips(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int {
        guard abs(left.count - right.count) <= limit else { return limit + 1 }
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for i in left.indices {
            var current = [i + 1]
            for j in right.indices {
                var cost = min(previous[j + 1], current[j]) + 1
                cost = min(cost, previous[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforePrevious[j - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
