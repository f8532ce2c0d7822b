package import JSON
internal import PluginKit

/// How much of one page of an API has been handed on, where it has more than the host takes at a time.
///
/// It stands in the cursor, so that another process can go on behind it.
package struct PagePart: Sendable, Equatable {
    /// Items so far, from the first.
    package private(set) var count = 0
    /// Of these items, in hexadecimal.
    private var digest = ""

    package init() {}

    /// Reads what `json` made; nil for anything else.
    package init?(_ json: JSONValue?) {
        guard let parts = json?.elements, parts.count == 2, let count = parts[0].integer,
            let digest = parts[1].text, count > 0
        else { return nil }
        self.count = Int(clamping: count)
        self.digest = digest
    }

    package var json: JSONValue { [.int(Int64(count)), .string(digest)] }

    /// With the items that follow it.
    package func adding(_ items: some Sequence<JSONValue>) -> PagePart {
        var part = self
        for item in items {
            part.count += 1
            part.digest = Digest.hexadecimal(
                Digest.sha256(Array(part.digest.utf8) + item.bytes()))
        }
        return part
    }

    /// True when a page begins with just these items.
    package func isBeginning(of items: [JSONValue]) -> Bool {
        items.count >= count && PagePart().adding(items.prefix(count)) == self
    }
}

/// A page that is being handed on in parts.
///
/// The host takes a part for no older than its own request, and what it heard from others in between
/// for newer: so a page is held for a moment only, and then asked for again.
struct HeldPage<Cursor: Equatable, Content> {
    private let model: String
    /// With which it was asked for.
    private let cursor: Cursor
    let content: Content
    /// Milliseconds of the monotonic clock.
    private let expiry: Int64
    /// Those behind which it goes on; nil for its beginning.
    private var parts: [PagePart?]

    init(
        _ content: Content, of model: String, at cursor: Cursor, after part: PagePart?,
        until expiry: Int64
    ) {
        self.model = model
        self.cursor = cursor
        self.content = content
        self.expiry = expiry
        parts = [part]
    }

    mutating func note(_ part: PagePart) { parts.append(part) }

    /// True when that is what is asked for.
    func has(_ model: String, _ cursor: Cursor, after part: PagePart?, at now: Int64) -> Bool {
        now < expiry && self.model == model && self.cursor == cursor && parts.contains(part)
    }
}

extension PluginError {
    /// What was handed on of a page is no part of it any more.
    static func changed(_ model: String) -> PluginError {
        PluginError(
            .cursorExpired,
            "the list of \(model) is another one than that of which a part was taken")
    }
}
