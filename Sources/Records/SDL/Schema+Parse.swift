extension Schema {
    /// Reads Amplify-flavoured GraphQL SDL; `file` is only what positions are given in.
    ///
    /// - Throws: Kind `.schema`, the first mistake in the text, as `FILE:LINE:COL: what`; the hint
    ///   says how to mend it.
    package static func parse(_ text: String, file: String = "schema.graphql")
        throws(RecordsError) -> Schema
    {
        let (schema, errors) = check(text, file: file)
        if let error = errors.first { throw error }
        return schema
    }

    /// As `parse` of a text, for bytes that may not be UTF-8.
    package static func parse(bytes: [UInt8], file: String = "schema.graphql")
        throws(RecordsError) -> Schema
    {
        let (schema, errors) = check(bytes: bytes, file: file)
        if let error = errors.first { throw error }
        return schema
    }

    /// As `parse`, giving every mistake found, in file order, and what could be understood.
    package static func check(_ text: String, file: String = "schema.graphql")
        -> (schema: Schema, errors: [RecordsError])
    {
        var text = text
        return text.withUTF8 { read(SourceText(bytes: $0, file: file)) }
    }

    /// As `check` of a text, for bytes that may not be UTF-8.
    package static func check(bytes: [UInt8], file: String = "schema.graphql")
        -> (schema: Schema, errors: [RecordsError])
    {
        bytes.withUnsafeBufferPointer { buffer in
            let source = SourceText(bytes: buffer, file: file)
            if let offset = firstInvalidUTF8(buffer) {
                let fault = SDLFault(
                    offset, "byte 0x\(String(buffer[offset], radix: 16)) is no UTF-8",
                    hint: "save the file as UTF-8")
                return (Schema(), [source.error(fault)])
            }
            return read(source)
        }
    }

    private static func read(_ source: SourceText) -> (schema: Schema, errors: [RecordsError]) {
        do throws(SDLFault) {
            var parser = try SDLParser(source)
            var builder = SchemaBuilder(try parser.parse())
            var schema = builder.build()
            var position = SourceText.Position()
            schema.notes = builder.notes.sorted { $0.offset < $1.offset }.map { note in
                position.advance(to: note.offset, in: source)
                return "\(source.file):\(position.line):\(position.column): \(note.text)"
            }
            let faults = builder.faults.sorted { $0.offset < $1.offset }
            return (schema, faults.map(source.error))
        } catch {
            return (Schema(), [source.error(error)])
        }
    }
}

/// The offset of the first byte that is part of no UTF-8 character.
func firstInvalidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var index = 0
    while index < bytes.count {
        let lead = bytes[index]
        if lead < 0x80 {
            index += 1
            continue
        }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return index
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return index }
        for rest in index + 2..<max(index + 2, index + length) where bytes[rest] & 0xC0 != 0x80 {
            return index
        }
        index += length
    }
    return nil
}
