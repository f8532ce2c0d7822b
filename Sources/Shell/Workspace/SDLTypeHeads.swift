/// The beginnings of the types in a schema's text, as far as they tell who may do what: what the
/// schema itself does not need.
///
/// A text that is no schema gives some or none; whoever reads the schema says what is wrong.
package struct SDLTypeHeads {
    struct Head {
        var name: String
        /// Of each rule of `@auth` the arguments that are one word or text.
        var rules: [[String: String]] = []
        /// The offset after the `{` of the fields.
        var body: Int
    }

    private(set) var heads: [Head] = []
    /// The words of the rule that holds for each type without rules: `globalAuthRule` of the input
    /// `AMPLIFY`; nil where there is none.
    private(set) var globalRule: [String: String]?

    private enum Token: Equatable {
        case word(String)
        case text(String)
        case mark(UInt8)
    }

    private let tokens: [(token: Token, end: Int)]
    private var index = 0

    init(_ text: [UInt8]) {
        tokens = Self.tokens(text)
        var depth = 0
        while index < tokens.count {
            if depth == 0, tokens[index].token == .word("type") {
                index += 1
                if readHead() { depth = 1 }
                continue
            }
            if depth == 0, tokens[index].token == .word("input") {
                index += 1
                if peek() == .word("AMPLIFY") { readGlobalRule() }
                continue
            }
            switch tokens[index].token {
            case .mark(UInt8(ascii: "{")), .mark(UInt8(ascii: "(")): depth += 1
            case .mark(UInt8(ascii: "}")), .mark(UInt8(ascii: ")")): depth -= 1
            default: break
            }
            index += 1
        }
    }

    /// Reads from the input's name on to its `}`; the rule is a default, or stands where a type should.
    private mutating func readGlobalRule() {
        var rule: [String: String] = [:]
        var depth = 0
        while let token = next() {
            switch token {
            case .mark(UInt8(ascii: "{")): depth += 1
            case .mark(UInt8(ascii: "}")):
                depth -= 1
                if depth == 0 { return }
            case .word("globalAuthRule") where depth == 1: globalRule = [:]
            case .word(let key) where depth == 2 && globalRule != nil:
                guard peek() == .mark(UInt8(ascii: ":")) else { continue }
                index += 1
                if case .word(let value)? = peek() { rule[key] = value }
                globalRule = rule
            default: break
            }
        }
    }

    /// Reads from the name on to the `{` of the fields; false where there is none.
    private mutating func readHead() -> Bool {
        guard case .word(let name)? = next() else { return false }
        var rules: [[String: String]] = []
        while let token = next() {
            switch token {
            case .mark(UInt8(ascii: "{")):
                heads.append(Head(name: name, rules: rules, body: tokens[index - 1].end))
                return true
            case .mark(UInt8(ascii: "@")):
                let isAuth = peek() == .word("auth")
                index += 1
                guard peek() == .mark(UInt8(ascii: "(")) else { continue }
                index += 1
                rules += arguments(isAuth)
            default: break
            }
        }
        return false
    }

    /// Reads over a directive's arguments to their `)`; of the objects in them the words.
    private mutating func arguments(_ isAuth: Bool) -> [[String: String]] {
        var rules: [[String: String]] = []
        var rule: [String: String] = [:]
        var depth = 1
        while depth > 0, let token = next() {
            switch token {
            case .mark(UInt8(ascii: "(")): depth += 1
            case .mark(UInt8(ascii: ")")): depth -= 1
            case .mark(UInt8(ascii: "{")): rule = [:]
            case .mark(UInt8(ascii: "}")): if isAuth { rules.append(rule) }
            case .word(let key) where peek() == .mark(UInt8(ascii: ":")):
                index += 1
                switch peek() {
                case .word(let value), .text(let value): rule[key] = value
                default: break
                }
            default: break
            }
        }
        return rules
    }

    private func peek() -> Token? { index < tokens.count ? tokens[index].token : nil }

    private mutating func next() -> Token? {
        defer { index += 1 }
        return peek()
    }

    private static func tokens(_ text: [UInt8]) -> [(token: Token, end: Int)] {
        var tokens: [(token: Token, end: Int)] = []
        var index = 0
        while index < text.count {
            let start = index
            switch text[index] {
            case UInt8(ascii: "#"):
                while index < text.count, text[index] != 0x0A { index += 1 }
            case UInt8(ascii: "\""):
                let isBlock = text[start...].starts(with: "\"\"\"".utf8)
                index += isBlock ? 3 : 1
                let quote = Array((isBlock ? "\"\"\"" : "\"").utf8)
                while index < text.count, !text[index...].starts(with: quote) {
                    index += text[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                let content = text[min(start + quote.count, text.count)..<min(index, text.count)]
                index += quote.count
                // A description says nothing.
                if !isBlock {
                    tokens.append((.text(String(decoding: content, as: UTF8.self)), index))
                }
            case let byte where isWord(byte):
                while index < text.count, isWord(text[index]) { index += 1 }
                tokens.append(
                    (.word(String(decoding: text[start..<index], as: UTF8.self)), index))
            case let byte:
                index += 1
                if byte > 0x20, byte != UInt8(ascii: ",") { tokens.append((.mark(byte), index)) }
            }
        }
        return tokens
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x5F
    }
}

extension SDLTypeHeads {
    /// The text with fields that name an owner, which the API sets, at the front of these types.
    package static func adding(_ owners: [String: [String]], to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var done = 0
        for head in SDLTypeHeads(text).heads {
            guard let names = owners[head.name] else { continue }
            result += text[done..<head.body]
            for name in names { result += "\n  \(name): String @readOnly".utf8 }
            done = head.body
        }
        return result + text[done...]
    }
}
