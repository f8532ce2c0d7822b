package import JSON
package import Records

/// What a record's file says.
package struct StoredRecord: Sendable, Equatable {
    package var version: Int64
    /// Nil for a record that was deleted.
    package var record: JSONObject?

    package init(version: Int64, record: JSONObject?) {
        self.version = version
        self.record = record
    }

    /// Why a file is no record.
    package struct Broken: Error, Equatable, Sendable {
        package var reason: String
    }

    /// Reads a file's content.
    ///
    /// Nesting is bounded well below what the protocol lets a line nest.
    package init(_ bytes: UnsafeRawBufferPointer) throws(Broken) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes, maxDepth: 400)
        } catch {
            throw Broken(reason: error.message)
        }
        guard let version = value["version"]?.integer else {
            throw Broken(reason: "it has no whole number as version")
        }
        guard version <= LogLine.largest else {
            throw Broken(reason: "its version is so large that none can come after it")
        }
        if value["deleted"] == true {
            self.init(version: version, record: nil)
        } else if let record = value["record"]?.members {
            self.init(version: version, record: record)
        } else {
            throw Broken(reason: "it has no object as record")
        }
    }

    /// The id a file says, where its name is too short for it.
    package static func id(in bytes: UnsafeRawBufferPointer) -> RecordID? {
        do throws(JSONError) {
            return try JSONValue.parse(bytes)["id"]?.text.map { RecordID($0) }
        } catch {
            return nil
        }
    }

    /// The content of the file, for people to read; `id` is put in where the name cannot tell it.
    package func content(id: RecordID? = nil) -> [UInt8] {
        var object = JSONObject([("version", .int(version))])
        if let id { object.append("id", .string(id.text)) }
        if let record {
            object.append("record", .object(record))
        } else {
            object.append("deleted", true)
        }
        var bytes: [UInt8] = []
        JSONValue.object(object).writePretty(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}
