internal import JSON
package import Records

/// One line of the log: an operation that was applied.
package struct LogLine: Sendable, Equatable {
    package var seq: Int64
    /// The operation's idempotency key.
    package var key: String
    package var model: String
    package var id: RecordID
    package var kind: Mutation.Kind
    /// The record's version after it.
    package var version: Int64
    /// Who pushed it.
    package var client: String

    /// A `seq` or a version beyond it is none: there are none to come after.
    static let largest: Int64 = 1 << 60

    package init(
        seq: Int64, key: String, model: String, id: RecordID, kind: Mutation.Kind,
        version: Int64, client: String
    ) {
        self.seq = seq
        self.key = key
        self.model = model
        self.id = id
        self.kind = kind
        self.version = version
        self.client = client
    }

    /// The line with its line end.
    package var bytes: [UInt8] {
        let object: JSONValue = [
            "seq": .int(seq), "key": .string(key), "model": .string(model),
            "id": .string(id.text), "kind": .string(kind.rawValue), "version": .int(version),
            "client": .string(client),
        ]
        var bytes = object.bytes()
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Reads a line without its line end; nil for one that is half written or no line of a log.
    package init?(_ line: UnsafeRawBufferPointer) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(line) } catch { return nil }
        guard let seq = value["seq"]?.integer, let key = value["key"]?.text,
            let model = value["model"]?.text, let id = value["id"]?.text,
            let kind = value["kind"]?.text.flatMap(Mutation.Kind.init(rawValue:)),
            let version = value["version"]?.integer, (0...Self.largest).contains(seq)
        else { return nil }
        self.init(
            seq: seq, key: key, model: model, id: RecordID(id), kind: kind, version: version,
            client: value["client"]?.text ?? "")
    }
}

extension LogLine {
    /// The place of each text in a line, found without reading it as JSON.
    ///
    /// The log is read line by line up to a million of them, mostly to learn that a line is about
    /// another model. Nil when the line is not written exactly as `bytes` writes it, or a text has
    /// an escape: `init` then reads it.
    package struct Outline {
        package let seq: Int64
        package let key: UnsafeRawBufferPointer
        package let model: UnsafeRawBufferPointer

        package init?(_ line: UnsafeRawBufferPointer) {
            var rest = line
            guard Self.take("{\"seq\":", &rest), let seq = Self.takeNumber(&rest),
                Self.take(",\"key\":\"", &rest), let key = Self.takeText(&rest),
                Self.take(",\"model\":\"", &rest), let model = Self.takeText(&rest),
                rest.last == UInt8(ascii: "}")
            else { return nil }
            self.seq = seq
            self.key = key
            self.model = model
        }

        private static func take(
            _ prefix: StaticString, _ rest: inout UnsafeRawBufferPointer
        ) -> Bool {
            let count = prefix.utf8CodeUnitCount
            guard rest.count >= count else { return false }
            for index in 0..<count where rest[index] != prefix.utf8Start[index] { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            return true
        }

        private static func takeNumber(_ rest: inout UnsafeRawBufferPointer) -> Int64? {
            var number: Int64 = 0
            var count = 0
            while count < rest.count, count < 18, case let digit = rest[count] &- 0x30, digit < 10 {
                number = number * 10 + Int64(digit)
                count += 1
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            return count > 0 ? number : nil
        }

        /// The text up to its closing quote; nil when an escape is in it.
        private static func takeText(
            _ rest: inout UnsafeRawBufferPointer
        ) -> UnsafeRawBufferPointer? {
            var count = 0
            while count < rest.count, rest[count] != UInt8(ascii: "\"") {
                if rest[count] == UInt8(ascii: "\\") { return nil }
                count += 1
            }
            guard count < rest.count else { return nil }
            let text = UnsafeRawBufferPointer(rebasing: rest[..<count])
            rest = UnsafeRawBufferPointer(rebasing: rest[(count + 1)...])
            return text
        }
    }
}
