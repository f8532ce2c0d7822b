package import JSON

/// The way a pull of one model has come, page by page: notices pages that lead back to where it was.
///
/// A page that is asked for again, since its answer was lost or too large, is no circle: the way goes
/// on from there as if it had never gone further.
package struct PageTrail: Sendable {
    private struct Stop {
        let place: Int
        /// Of the page that begins there; nil before it has come, and where its records tell nothing.
        var content: Int?
    }

    /// The places so far, each once, from where the pull began or went on from an earlier one.
    private var stops: [Stop] = []
    private var indices: [Int: Int] = [:]
    /// How many places have a page with these records.
    private var alike: [Int: Int] = [:]

    /// A page may come again as it was where records move while it is read.
    private static let mostAlike = 3

    package init() {}

    /// Takes note of a page.
    ///
    /// - Parameters:
    ///   - place: Where it begins; null for the first.
    ///   - next: Where the next one begins; nil where there is none.
    ///   - items: Its records.
    ///   - identity: What tells a record from others; nil for what may be alike on every page.
    /// - Returns: True where the pull would go on without end.
    package mutating func isCircle(
        from place: JSONValue, to next: JSONValue?, with items: [JSONValue],
        identity: (JSONValue) -> JSONValue?
    ) -> Bool {
        guard let next else {
            self = PageTrail()
            return false
        }
        let (from, to) = (Self.digest([place]), Self.digest([next]))
        // An API may have nothing yet: who pulls bounds how often it is asked.
        if items.isEmpty, from == to { return false }
        go(back: from)
        if indices[to] != nil { return true }
        guard let first = items.first.flatMap(identity), let last = items.last.flatMap(identity)
        else {
            add(to)
            return false
        }
        let content = Self.digest([first, last, .int(Int64(items.count))])
        stops[stops.count - 1].content = content
        alike[content, default: 0] += 1
        add(to)
        return alike[content, default: 0] > Self.mostAlike
    }

    /// Makes a place the last one; one where the pull never was begins a new way.
    private mutating func go(back place: Int) {
        guard let index = indices[place] else {
            self = PageTrail()
            return add(place)
        }
        while stops.count > index {
            let stop = stops.removeLast()
            indices[stop.place] = nil
            if let content = stop.content { alike[content, default: 1] -= 1 }
        }
        add(place)
    }

    private mutating func add(_ place: Int) {
        indices[place] = stops.count
        stops.append(Stop(place: place))
    }

    /// Of all that is in the values: as keys of a dictionary they have the hashes of any as large.
    private static func digest(_ values: [JSONValue]) -> Int {
        var hasher = Hasher()
        for value in values { hasher.combine(value.bytes()) }
        return hasher.finalize()
    }
}
