internal import JSON

/// The answer of `count`.
package struct RecordCount: Sendable {
    package var count: Int

    package init(_ count: Int) { self.count = count }

    /// Writes `{"count":N}` under json formats, else the number.
    package func write(_ listing: Listing, to sink: any ByteSink) throws(ShellError) {
        var spool = Spool(sink)
        if listing.format.isJSON {
            JSONObject([("count", .int(Int64(count)))]).write(into: &spool.bytes)
        } else {
            spool.bytes.append(contentsOf: "\(count)".utf8)
        }
        spool.bytes.append(UInt8(ascii: "\n"))
        try spool.flush()
    }
}
