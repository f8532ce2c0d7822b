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
        /// Errors about an item, by its place.
        var faults: [Int: GraphQLFault]
        var cursor: MappedCursor
        var more: Bool
        /// False when a record is hidden behind an error: what is not seen may yet be there.
        var isComplete: Bool
    }

    /// The page's records and where the next one begins.
    ///
    /// - Throws: When there is no list, or an error that is about none of its items.
    func page(
        _ answer: GraphQLAnswer, after cursor: MappedCursor, isDelta: Bool
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
            throw PluginError(fault, doing: "read \(plan.model.name)", host: host)
        }
        let items = elements.map { step.item.value(in: $0) ?? .null }
        var faults: [Int: GraphQLFault] = [:]
        for fault in answer.errors {
            guard let place = fault.path.lazy.compactMap(\.integer).first else {
                throw PluginError(fault, doing: "read \(plan.model.name)", host: host)
            }
            if fault.kind != .permission { faults[Int(clamping: place)] = fault }
        }
        var next = cursor
        let more = try advance(&next, data, items, isDelta: isDelta)
        return Page(
            items: items, faults: faults, cursor: next, more: more,
            isComplete: faults.isEmpty && !items.contains(where: \.isNull))
    }

    /// Puts the records of a page down.
    func write(_ read: Page, onto page: PluginPage) {
        for (index, raw) in read.items.enumerated() {
            var item = plan.item(raw)
            if let fault = read.faults[index] {
                let reason = "\(host) could not give it: \(fault.message)"
                switch item {
                case .record(let id, _, _), .deleted(let id, _): item = .bad(id, reason)
                case .bad(let id, _): item = .bad(id, reason)
                }
            }
            page.append(item, raw: raw, place: "(item \(index) of a page)")
        }
    }

    /// Moves the cursor past a page.
    ///
    /// - Returns: Whether another follows.
    private func advance(
        _ cursor: inout MappedCursor, _ data: JSONValue, _ items: [JSONValue],
        isDelta: Bool
    ) throws(PluginError) -> Bool {
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
        if let next = step.next {
            let token = next.value(in: data)
            let says = step.more?.value(in: data)?.boolean ?? true
            guard says else { return false }
            guard let token else {
                // Taken for the last one, a page would have what follows it deleted.
                guard step.more?.value(in: data)?.boolean != true else {
                    throw PluginError(
                        .permanent,
                        "\(host) says that more follows a page of \(plan.model.name), but not where",
                        hint: "say where it tells that: next of the mapping's list")
                }
                return false
            }
            cursor.after = token
            return true
        }
        // A page that is shorter than asked for need not be the last: an API may have a limit of its
        // own.
        let says = step.more?.value(in: data)?.boolean
        guard says ?? !items.isEmpty else { return false }
        if isDelta, step.until == nil, let latest, latest.isAfter(cursor.since) {
            // The next page begins at the latest stamp, once more: others may have the same.
            cursor.since = latest
            cursor.offset = 0
            return true
        }
        if step.uses("offset") || step.uses("skip") {
            cursor.offset += Int64(items.count)
            return !items.isEmpty
        }
        if step.uses("after") || step.uses("cursor"), let last = items.last,
            let key = plan.key(of: last)
        {
            if key == cursor.after { return false }
            cursor.after = key
            return true
        }
        // There is no way to ask for more.
        return false
    }
}

extension MappedPlan {
    /// The key of a record as the API has it: the value, or an object of several.
    fileprivate func key(of json: JSONValue) -> JSONValue? {
        switch item(json) {
        case .record(let id, _, _), .deleted(let id, _): keyValues(id)?.id
        case .bad: nil
        }
    }
}
