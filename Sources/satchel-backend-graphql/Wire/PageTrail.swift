package import JSON

/// The way a pull of one model has come, page by page: notices pages that lead back to where it was.
///
/// A page that is asked for again, since its answer was lost, is no circle.
package struct PageTrail: Sendable {
    /// From where each place was reached.
    private var origins: [Int: Int] = [:]
    /// At which places a page with these records was met.
    private var places: [Int: Set<Int>] = [:]

    /// A page may come again as it was where records move while it is read.
    private static let mostAlike = 3

    package init() {}

    /// Takes note of a page.
    ///
    /// - Parameters:
    ///   - place: Where it begins; null for the first.
    ///   - next: Where the next one begins; nil where there is none.
    ///   - items: Its records.
    /// - Returns: True where the pull would go on without end.
    package mutating func isCircle(
        from place: JSONValue, to next: JSONValue?, with items: [JSONValue]
    ) -> Bool {
        guard let next, let first = items.first, let last = items.last else { return false }
        let (from, to) = (Self.digest([place]), Self.digest([next]))
        if from == to { return true }
        if let origin = origins.updateValue(from, forKey: to), origin != from { return true }
        let content = Self.digest([first, last, .int(Int64(items.count))])
        places[content, default: []].insert(from)
        return (places[content]?.count ?? 0) > Self.mostAlike
    }

    /// Of all that is in the values: as keys of a dictionary they have the hashes of any as large.
    private static func digest(_ values: [JSONValue]) -> Int {
        var hasher = Hasher()
        for value in values { hasher.combine(value.bytes()) }
        return hasher.finalize()
    }
}
