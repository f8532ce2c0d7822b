package import JSON
package import PluginKit
internal import Records

/// The items of a delta, of each record only its newest state.
///
/// A delta has a line for each write, and reaches back to writes that are known: taken in one after the
/// other, the older ones would stand for a moment as news against what was written here since.
package struct NewestItems {
    private struct Entry {
        var item: Item
        var raw: JSONValue
        var place: String
    }

    private var entries: [Entry?] = []
    private var places: [RecordID: (index: Int, version: Int64)] = [:]

    package init() {}

    /// Lines so far, those that newer ones took the place of among them.
    package var count: Int { entries.count }

    package mutating func take(_ item: Item, raw: JSONValue, place: String) {
        let entry = Entry(item: item, raw: raw, place: place)
        guard let (id, version) = item.state else { return entries.append(entry) }
        if let known = places[id] {
            if version < known.version { return entries.append(.none) }
            entries[known.index] = nil
        }
        places[id] = (entries.count, version)
        entries.append(entry)
    }

    package func write(onto page: PluginPage) {
        for case .some(let entry) in entries {
            page.append(entry.item, raw: entry.raw, place: entry.place)
        }
    }
}

extension Item {
    /// Which record this is a state of, and which one; nil where that is not told.
    fileprivate var state: (RecordID, Int64)? {
        switch self {
        case .record(let id, let version, _), .deleted(let id, let version):
            version?.integer.map { (id, $0) }
        case .bad: nil
        }
    }
}
