package import JSON
package import Records

/// The records of an answer to `pull` or `fetch`, put down as bytes while the plugin finds them.
package final class PluginPage {
    /// Records put down so far, tombstones included.
    package private(set) var count = 0
    /// The members of the array, separated by commas.
    package private(set) var bytes: [UInt8] = []

    /// Bytes of JSON that a record may have: a line of the protocol has 16 MiB at most.
    package static let longestRecord = 8 << 20
    /// How deep its values may nest: a line of the protocol does 512 deep.
    package static let deepestRecord = 400
    /// Bytes that are kept of what is no record.
    private static let longestRaw = 1 << 20

    package init() {}

    package func append(id: RecordID, version: JSONValue?, record: JSONObject) {
        guard JSONValue.object(record).depth <= Self.deepestRecord else {
            let reason = "it nests deeper than \(Self.deepestRecord), which no record may"
            return append(undecodable: id, raw: reason.utf8, reason: reason)
        }
        let (place, before) = (bytes.count, count)
        open(id, version)
        bytes.append(contentsOf: ",\"record\":".utf8)
        let start = bytes.count
        record.write(into: &bytes)
        let size = bytes.count - start
        guard size <= Self.longestRecord else {
            // No page could hold it, and those beside it would not come either.
            let reason = "it has \(size) bytes, which is more than a record may have"
            let raw = Array("\(reason): ".utf8) + bytes[start..<start + 1_000]
            bytes.removeSubrange(place...)
            count = before
            return append(undecodable: id, raw: raw, reason: reason)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    package func append(deleted id: RecordID, version: JSONValue?) {
        open(id, version)
        bytes.append(contentsOf: ",\"deleted\":true}".utf8)
    }

    /// Puts down data that is no record: the host keeps it in quarantine and the page goes on.
    ///
    /// - Parameters:
    ///   - id: The record it stands in the place of; nil where that cannot be read, never a guess: a
    ///     record of that name would count as met.
    ///   - raw: The data as it was found; what is no UTF-8 in it is replaced.
    ///   - reason: Why it is no record, in a few words, such as "its key is missing".
    package func append(
        undecodable id: RecordID?, raw: some Sequence<UInt8>, reason: String? = nil
    ) {
        open(id, nil)
        bytes.append(contentsOf: ",\"record\":".utf8)
        JSONWriter.appendString(
            String(decoding: Array(raw.prefix(Self.longestRaw)), as: UTF8.self), to: &bytes)
        if let reason {
            bytes.append(contentsOf: ",\"reason\":".utf8)
            JSONWriter.appendString(reason, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Takes over items that `write` puts down itself as JSON, each but the first after a comma.
    ///
    /// - Parameters:
    ///   - count: How many there are, at least one.
    ///   - write: Appends the items and nothing else.
    package func append(items count: Int, _ write: (inout [UInt8]) -> Void) {
        if self.count > 0 { bytes.append(UInt8(ascii: ",")) }
        self.count += count
        write(&bytes)
    }

    private func open(_ id: RecordID?, _ version: JSONValue?) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
        bytes.append(contentsOf: "{\"id\":".utf8)
        if let id {
            JSONWriter.appendString(id.text, to: &bytes)
        } else {
            bytes.append(contentsOf: "null".utf8)
        }
        bytes.append(contentsOf: ",\"version\":".utf8)
        (version ?? .null).write(into: &bytes)
    }
}
