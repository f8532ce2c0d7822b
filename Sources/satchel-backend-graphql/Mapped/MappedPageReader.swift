internal import JSON
internal import PluginKit
internal import Records

/// Reads one page of a list or of a delta, as a mapping tells where everything is.
struct MappedPageReader {
    let plan: MappedPlan
    let step: MappingStep
    let host: String

    struct Page {
        var items: [JSONValue]
        /// Why an item could not be given, by its place.
        var faults: [Int: String]
        var cursor: MappedCursor
        var more: Bool
        /// False when there may be more that cannot be asked for.
        var isComplete: Bool

        /// Puts an item down.
        func write(_ index: Int, by plan: MappedPlan, onto page: PluginPage) {
            var item = plan.item(items[index])
            if let reason = faults[index] {
                switch item {
                case .record(let id, _, _), .deleted(let id, _): item = .bad(id, reason)
                case .bad(let id, _): item = .bad(id, reason)
                }
            }
            page.append(item, raw: items[index], place: "(item \(index) of a page)")
        }
    }

    /// Whether another page follows.
    private enum Following { case yes, no, unknown }

    /// The page's records and where the next one begins.
    ///
    /// - Throws: When there is no list, or an error that is about none of its items.
    func page(
        _ answer: GraphQLAnswer, after cursor: MappedCursor, isDelta: Bool, limit: Int
    ) throws(PluginError) -> Page {
        let data = JSONValue.object(answer.data)
        guard let elements = step.result.value(in: data)?.elements else {
            let fault = answer.errors.first
            guard let fault else {
                throw PluginError(
                    .permanent,
                    "\(host) answered without a list of \(plan.model.name) at "
                        + step.result.parts.joined(separator: "."),
                    hint: "say where it is: items of the mapping's list")
            }
            throw .page(fault, of: plan.model.name, host: host)
        }
        let items = elements.map { step.item.value(in: $0) ?? .null }
        var faults: [Int: String] = [:]
        for fault in answer.errors {
            guard let number = fault.path.lazy.compactMap(\.integer).first,
                case let place = Int(clamping: number), items.indices.contains(place)
            else { throw .page(fault, of: plan.model.name, host: host) }
            if fault.kind != .permission {
                faults[place] = "\(host) could not give it: \(fault.message)"
            }
        }
        var next = cursor
        var following = try advance(&next, data, items, isDelta: isDelta)
        // A delta's page that is full of one stamp need not hold all that has it.
        if isDelta, following == .no, hasNoWayOn, items.count >= limit { following = .unknown }
        return Page(
            items: items, faults: faults, cursor: next, more: following == .yes,
            isComplete: following != .unknown)
    }

    /// Moves the cursor past a page.
    ///
    /// - Throws: When the API says that another follows, and there is no way to it: taken for the last
    ///   one, the page would have what follows it deleted.
    private func advance(
        _ cursor: inout MappedCursor, _ data: JSONValue, _ items: [JSONValue],
        isDelta: Bool
    ) throws(PluginError) -> Following {
        let isFirst = cursor.pages == 0
        cursor.pages += 1
        let stamps = items.compactMap(plan.stamp)
        let latest = stamps.reduce(nil) { (best: JSONValue?, stamp) in
            stamp.isAfter(best) ? stamp : best
        }
        if let until = step.until?.value(in: data) {
            // What is written while later pages come is in the next delta.
            if isFirst { cursor.high = until }
        } else if isDelta {
            if let latest, latest.isAfter(cursor.high) { cursor.high = latest }
        } else if isFirst, plan.hasDelta {
            // Anything written from now on has a later stamp than what this page has.
            cursor.high = latest
        }
        let says = step.more?.value(in: data)?.boolean
        if let next = step.next {
            guard says ?? true else { return .no }
            guard let token = next.value(in: data) else {
                return try end(
                    unless: says, "but not where", "next of the mapping's list tells that")
            }
            cursor.after = token
            return .yes
        }
        // A page that is shorter than asked for need not be the last: an API may have a limit of its
        // own.
        guard says ?? !items.isEmpty else { return .no }
        if isDelta, step.until == nil, let latest, latest.isAfter(cursor.since) {
            // The next page begins at the latest stamp, once more: others may have the same.
            cursor.since = latest
            cursor.offset = 0
            cursor.after = nil
            return .yes
        }
        if step.uses("offset") || step.uses("skip") {
            guard !items.isEmpty else { return try end(unless: says, "and gives none", nil) }
            cursor.offset += Int64(items.count)
            return .yes
        }
        if step.uses("after") || step.uses("cursor") {
            return try advance(&cursor, behind: items, says)
        }
        return try end(unless: says, "but there is no way to it", Self.ways)
    }

    /// True for pages of so many that have no place: nothing but their stamps leads on.
    private var hasNoWayOn: Bool {
        let isBounded = step.uses("limit") || step.uses("first")
        let ways = ["offset", "skip", "after", "cursor"]
        return isBounded && step.more == nil && step.next == nil && step.until == nil
            && !ways.contains(where: step.uses)
    }

    private static let ways = "the mapping's list has no $offset, no $after and no next"

    /// Moves the cursor behind the last of the items whose key is known.
    ///
    /// Where others follow that one they come once more, at the beginning of the next page.
    private func advance(
        _ cursor: inout MappedCursor, behind items: [JSONValue], _ says: Bool?
    ) throws(PluginError) -> Following {
        var isLast = true
        for item in items.reversed() {
            guard let key = plan.key(of: item) else {
                isLast = false
                continue
            }
            guard key != cursor.after else { break }
            cursor.after = key
            return .yes
        }
        return isLast
            ? try end(unless: says, "but not behind which record", nil) : .unknown
    }

    /// The end of a list, unless the API says that there is more.
    private func end(
        unless says: Bool?, _ words: String, _ hint: String?
    ) throws(PluginError) -> Following {
        guard says == true else { return .no }
        throw PluginError(
            .permanent, "\(host) says that more follows a page of \(plan.model.name), \(words)",
            hint: hint ?? "it is a fault of the API: tell whoever runs it")
    }
}

extension MappedPlan {
    /// The key of a record as the API has it: the value, or an object of several.
    fileprivate func key(of json: JSONValue) -> JSONValue? {
        switch item(json) {
        case .record(let id, _, _), .deleted(let id, _), .bad(let id?, _): keyValues(id)?.id
        case .bad(nil, _): nil
        }
    }
}
