package import JSON

/// Writes values as YAML that every reader takes alike.
///
/// Block style; `[]` and `{}` when empty; `null`, `true`, `false`. A text stands plain only when no
/// version of YAML could take it for anything else, as a block after `|` when it has several plain
/// lines, and otherwise in double quotes. Numbers always have the point and the sign that YAML 1.1
/// wants before and in an exponent.
package enum YAMLWriter {
    /// Appends a whole document: the value, then a line end.
    package static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        append(value, depth: 0, isInline: false, to: &bytes)
    }

    /// `isInline` is true right after `- `: a collection's first line then needs no indentation.
    private static func append(
        _ value: JSONValue, depth: Int, isInline: Bool, to bytes: inout [UInt8]
    ) {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                if index > 0 || !isInline { indent(depth, &bytes) }
                bytes.append(contentsOf: "- ".utf8)
                append(element, depth: depth + 1, isInline: true, to: &bytes)
            }
        case .object(let object) where !object.isEmpty:
            for (index, member) in object.pairs.enumerated() {
                if index > 0 || !isInline { indent(depth, &bytes) }
                append(key: member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                if member.value.isBlock {
                    bytes.append(UInt8(ascii: "\n"))
                    append(member.value, depth: depth + 1, isInline: false, to: &bytes)
                } else {
                    bytes.append(UInt8(ascii: " "))
                    append(member.value, depth: depth + 1, isInline: true, to: &bytes)
                }
            }
        default:
            append(scalar: value, depth: depth, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    private static func indent(_ depth: Int, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private static func append(scalar: JSONValue, depth: Int, to bytes: inout [UInt8]) {
        switch scalar {
        case .string(let text):
            switch YAMLText(text) {
            case .plain: bytes.append(contentsOf: text.utf8)
            case .block(let chomping):
                bytes.append(contentsOf: "|\(chomping)".utf8)
                var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
                if lines.last?.isEmpty == true { lines.removeLast() }
                for line in lines {
                    bytes.append(UInt8(ascii: "\n"))
                    // At the top a block still has to stand in.
                    if !line.isEmpty { indent(max(depth, 1), &bytes) }
                    bytes.append(contentsOf: line.utf8)
                }
            case .quoted: YAMLText.appendQuoted(text, to: &bytes)
            }
        case .double, .big: bytes.append(contentsOf: number(scalar.serialized()).utf8)
        default: scalar.write(into: &bytes)
        }
    }

    private static func append(key: String, to bytes: inout [UInt8]) {
        // A long or many-lined key would need another syntax; in quotes it is one line.
        if case .plain = YAMLText(key), key.utf8.count <= 128 {
            bytes.append(contentsOf: key.utf8)
        } else {
            YAMLText.appendQuoted(key, to: &bytes)
        }
    }

    /// To YAML 1.1 `1e20` is a text.
    ///
    /// https://yaml.org/type/float.html
    private static func number(_ text: String) -> String {
        guard let mark = text.utf8.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
            return text
        }
        var mantissa = String(text[..<mark])
        var exponent = String(text[text.utf8.index(after: mark)...])
        if !mantissa.utf8.contains(UInt8(ascii: ".")) { mantissa += ".0" }
        if exponent.utf8.first != UInt8(ascii: "-") && exponent.utf8.first != UInt8(ascii: "+") {
            exponent = "+" + exponent
        }
        return mantissa + "e" + exponent
    }
}

extension JSONValue {
    /// A collection that takes lines of its own.
    fileprivate var isBlock: Bool {
        switch self {
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.isEmpty
        default: false
        }
    }
}
