package import JSON
internal import Records

/// Where a pull of one model has come to at an API that a mapping tells of.
package struct MappedCursor: Sendable, Equatable {
    /// When the latest pull of everything began, in milliseconds since 1970 by our clock.
    package var base: Int64?
    /// Changes since then are asked for; nil for everything.
    package var since: JSONValue?
    /// From where the pull after this one goes on.
    package var high: JSONValue?
    /// Where the next page begins.
    package var after: JSONValue?
    package var offset: Int64 = 0
    /// Pages of this pull so far.
    package var pages: Int64 = 0
    /// How much of the page has been handed on; nil where it is to come from its beginning.
    package var part: PagePart?

    package init() {}

    /// Reads what `json` made; nil for anything else.
    package init?(_ json: JSONValue) {
        guard case .object(let members) = json, members["mapped"] == true else { return nil }
        base = members["base"]?.integer
        since = members["since"]
        high = members["high"]
        after = members["after"]
        offset = members["offset"]?.integer ?? 0
        pages = members["pages"]?.integer ?? 0
        part = PagePart(members["part"])
    }

    /// Null where there is nothing to go on from: the next pull is of everything.
    package var json: JSONValue {
        guard since != nil || !isAtStart else { return .null }
        var object = JSONObject([("mapped", true)])
        if let base { object.append("base", .int(base)) }
        if let since { object.append("since", since) }
        if let part { object.append("part", part.json) }
        guard !isAtStart else { return .object(object) }
        if let high { object.append("high", high) }
        guard pages > 0 else { return .object(object) }
        if let after { object.append("after", after) }
        object.append("offset", .int(offset))
        object.append("pages", .int(pages))
        return .object(object)
    }

    /// True when nothing of the pull has come yet.
    var isAtStart: Bool { pages == 0 && part == nil }

    /// Has a delta that begins ask for what changed a while before, too.
    ///
    /// What is asked for, and what a page's stamps and places are held against, is the same from its first
    /// page to its last; the pull after it begins no earlier than this one would have.
    mutating func reachBack(by milliseconds: Int64) {
        guard isAtStart, let since else { return }
        high = since
        self.since = since.earlier(by: milliseconds)
    }

    /// That of the whole page.
    var whole: MappedCursor {
        var cursor = self
        cursor.part = nil
        return cursor
    }

    /// Where the page begins, whichever of a pull's it is.
    var place: JSONValue {
        guard pages > 0 else { return .null }
        return [since ?? .null, after ?? .null, .int(offset)]
    }

    /// The cursor with which the next pull begins, after the last page.
    ///
    /// A pull of everything that is not complete leaves nothing to go on from.
    package func ended(isComplete: Bool = true) -> MappedCursor {
        var next = MappedCursor()
        if since == nil, !isComplete { return next }
        next.base = base
        next.since = high ?? since
        return next
    }
}

extension JSONValue {
    /// True when a value that only grows has come after another: numbers, or texts of a kind.
    ///
    /// Instants may be of other offsets; within a millisecond their digits decide.
    func isAfter(_ other: JSONValue?) -> Bool {
        guard let other else { return true }
        switch (self, other) {
        case (.int(let ours), .int(let theirs)): return ours > theirs
        case (.string(let ours), .string(let theirs)):
            if let one = Instant.parse(ours, as: .dateTime)?.milliseconds,
                let two = Instant.parse(theirs, as: .dateTime)?.milliseconds, one != two
            {
                return one > two
            }
            return ours > theirs
        default: return false
        }
    }

    /// An instant so many milliseconds before; any other value is the same.
    fileprivate func earlier(by milliseconds: Int64) -> JSONValue {
        guard milliseconds > 0, let text, let instant = Instant.parse(text, as: .dateTime) else {
            return self
        }
        return .string(Instant.format(milliseconds: instant.milliseconds - milliseconds))
    }
}
