/// The candidate most like `word`, or nil when none is near enough to be meant.
///
/// Near is an edit distance (with swapped neighbours) of at most a third of the word's length,
/// letter case aside; a candidate that `word` begins counts as near too.
package func didYouMean(_ word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = foldedBytes(word)
    let limit = max(1, wanted.count / 3)
    var best: (distance: Int, text: String)?
    for candidate in candidates {
        let letters = foldedBytes(candidate)
        var distance = editDistance(wanted, letters, atMost: limit)
        if distance > limit, wanted.count >= 3, letters.starts(with: wanted) { distance = limit }
        guard distance <= limit, distance < max(wanted.count, letters.count) else { continue }
        if distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.text
}

private func foldedBytes(_ text: String) -> [UInt8] {
    text.utf8.prefix(64).map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
}

/// The optimal string alignment distance; more than `limit` where it is more.
private func editDistance(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int {
    if abs(left.count - right.count) > limit { return limit + 1 }
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var before = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    var current = previous
    for row in 1...left.count {
        current[0] = row
        for column in 1...right.count {
            let cost = left[row - 1] == right[column - 1] ? 0 : 1
            current[column] = min(
                previous[column] + 1, current[column - 1] + 1, previous[column - 1] + cost)
            if row > 1, column > 1, left[row - 1] == right[column - 2],
                left[row - 2] == right[column - 1]
            {
                current[column] = min(current[column], before[column - 2] + 1)
            }
        }
        (before, previous, current) = (previous, current, before)
    }
    return previous[right.count]
}
