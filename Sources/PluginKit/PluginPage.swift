package import JSON
package import Records

/// The records of an answer to `pull` or `fetch`, put down as bytes while the plugin finds them.
package final class PluginPage {
    /// Records put down so far, tombstones included.
    package private(set) var count = 0
    /// The members of the array, separated by commas.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package func append(id: RecordID, version: JSONValue?, record: JSONObject) {
        open(id, version)
        bytes.append(contentsOf: ",\"record\":".utf8)
        record.write(into: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    package func append(deleted id: RecordID, version: JSONValue?) {
        open(id, version)
        bytes.append(contentsOf: ",\"deleted\":true}".utf8)
    }

    /// Puts down data that is no record: the host keeps it in quarantine and the page goes on.
    ///
    /// - Parameters:
    ///   - id: The record it stands in the place of.
    ///   - raw: The data as it was found; what is no UTF-8 in it is replaced.
    package func append(undecodable id: RecordID, raw: some Sequence<UInt8>) {
        open(id, nil)
        bytes.append(contentsOf: ",\"record\":".utf8)
        JSONWriter.appendString(String(decoding: Array(raw), as: UTF8.self), to: &bytes)
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

    private func open(_ id: RecordID, _ version: JSONValue?) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
        bytes.append(contentsOf: "{\"id\":".utf8)
        JSONWriter.appendString(id.text, to: &bytes)
        bytes.append(contentsOf: ",\"version\":".utf8)
        (version ?? .null).write(into: &bytes)
    }
}
