package import JSON

/// Where a pull of one model has come to; times are the server's, in milliseconds since 1970.
package struct PullCursor: Sendable, Equatable {
    /// When the latest pull of everything began.
    package var base: Int64?
    /// Changes since then are asked for; nil for everything.
    package var since: Int64?
    /// When the server began to answer the pages under way.
    package var started: Int64?
    /// Where the next page begins.
    package var token: String?
    /// Pages of this pull so far.
    package var pages: Int64 = 0
    /// How much of the page has been handed on; nil where it is to come from its beginning.
    package var part: PagePart?

    package init() {}

    /// Reads what `json` made; nil for anything else.
    package init?(_ json: JSONValue) {
        guard case .object(let members) = json else { return nil }
        base = members["base"].flatMap(Self.time)
        since = members["since"].flatMap(Self.time)
        started = members["started"].flatMap(Self.time)
        token = members["token"]?.text
        pages = members["pages"]?.integer ?? 0
        part = PagePart(members["part"])
        if since == nil, token == nil, part == nil { return nil }
    }

    /// A time that a server may have: up to the year 9999.
    private static func time(_ json: JSONValue) -> Int64? { json.integer.flatMap(time) }

    private static func time(_ time: Int64) -> Int64? {
        0..<253_402_300_800_000 ~= time ? time : nil
    }

    /// Null where there is nothing to go on from: the next pull is of everything.
    package var json: JSONValue {
        guard since != nil || token != nil || part != nil else { return .null }
        var object = JSONObject()
        if let base { object.append("base", .int(base)) }
        if let since { object.append("since", .int(since)) }
        if let started { object.append("started", .int(started)) }
        if let token {
            object.append("token", .string(token))
            object.append("pages", .int(pages))
        }
        if let part { object.append("part", part.json) }
        return .object(object)
    }

    /// That of the whole page.
    var whole: PullCursor {
        var cursor = self
        cursor.part = nil
        return cursor
    }

    /// The cursor after a page.
    ///
    /// The first page tells when the answer began: what is written while the other pages come is
    /// in the next delta.
    package func after(token: String?, startedAt: Int64?) -> PullCursor {
        var next = self
        next.started = started ?? startedAt.flatMap(Self.time)
        next.token = token
        next.pages = pages + 1
        next.part = nil
        guard token == nil else { return next }
        if since == nil { next.base = next.started }
        next.since = next.started ?? since
        next.started = nil
        next.pages = 0
        return next
    }

    /// Why changes since then cannot be asked for any more; nil when they can.
    package func staleness(
        at now: Int64, fullAfter: Int64?, tombstoneLife: Int64
    ) -> String? {
        guard token == nil, part == nil, let since else { return nil }
        let day: Int64 = 86_400_000
        if since > now + day { return "the last pull lies in the future of the server's clock" }
        if now - since >= tombstoneLife { return "deletions since the last pull are forgotten" }
        if let fullAfter, now - (base ?? since) >= fullAfter {
            return "the last pull of everything is \((now - (base ?? since)) / 3_600_000) hours old"
        }
        return nil
    }
}
