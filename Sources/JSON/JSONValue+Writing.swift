extension JSONValue {
    /// Appends the value as JSON without white space.
    ///
    /// Members keep their order and numbers their spelling; a double must be finite.
    package func write(into output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .int(let value): JSONWriter.append(value, to: &output)
        case .double(let value): JSONWriter.append(value, to: &output)
        case .big(let text): output.append(contentsOf: text.utf8)
        case .string(let text): JSONWriter.appendString(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members): members.write(into: &output)
        }
    }

    /// The value as JSON without white space, in bytes.
    package func bytes() -> [UInt8] {
        var output: [UInt8] = []
        write(into: &output)
        return output
    }

    /// The value as JSON without white space.
    package func serialized() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// The value as JSON for people: two spaces a level, no newline at the end.
    package func prettyPrinted() -> String {
        var output: [UInt8] = []
        writePretty(into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the value as JSON for people; lines after the first stand in by `indentation`.
    package func writePretty(into output: inout [UInt8], indentation: Int = 0) {
        func newLine(_ level: Int) {
            output.append(UInt8(ascii: "\n"))
            output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level))
        }
        switch self {
        case .array(let elements) where !elements.isEmpty:
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                newLine(indentation + 2)
                element.writePretty(into: &output, indentation: indentation + 2)
            }
            newLine(indentation)
            output.append(UInt8(ascii: "]"))
        case .object(let members) where !members.isEmpty:
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.pairs.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                newLine(indentation + 2)
                JSONWriter.appendString(member.key, to: &output)
                output.append(contentsOf: ": ".utf8)
                member.value.writePretty(into: &output, indentation: indentation + 2)
            }
            newLine(indentation)
            output.append(UInt8(ascii: "}"))
        default: write(into: &output)
        }
    }
}

extension JSONObject {
    /// Appends the object as JSON without white space.
    package func write(into output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for (index, member) in pairs.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(member.key, to: &output)
            output.append(UInt8(ascii: ":"))
            member.value.write(into: &output)
        }
        output.append(UInt8(ascii: "}"))
    }
}
