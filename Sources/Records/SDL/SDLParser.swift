/// Reads GraphQL type definitions into a document.
struct SDLParser {
    let source: SourceText
    private var lexer: SDLLexer
    private(set) var token: SDLLexer.Token
    var document = SDLDocument()

    /// Directive arguments do not nest deeper than this.
    static let maxDepth = 32

    init(_ source: SourceText) throws(SDLFault) {
        self.source = source
        lexer = SDLLexer(source)
        token = try lexer.next()
    }

    mutating func parse() throws(SDLFault) -> SDLDocument {
        while token.kind != .end { try definition() }
        return document
    }

    private mutating func definition() throws(SDLFault) {
        try skipDescription()
        guard token.kind == .name else {
            if token.kind == .end {
                throw SDLFault(token.offset, "a description describes nothing", hint: "remove it")
            }
            throw unexpected("a definition", hint: "definitions begin with type or enum")
        }
        let keyword = name()
        try advance()
        switch keyword.text {
        case "type": try object()
        case "enum": try enumeration()
        case "extend": try typeExtension(keyword)
        case "schema":
            try skipDirectives()
            try skipBlock(of: keyword.text)
            note(keyword.offset, "the schema definition has no effect here")
        case "scalar", "interface", "input", "union": try other(keyword)
        case "directive": try directiveDefinition()
        default:
            let meant = didYouMean(
                keyword.text,
                among: ["type", "enum", "input", "scalar", "interface", "union", "directive"])
            throw SDLFault(
                keyword.offset, "\"\(keyword.text)\" begins no definition",
                hint: meant.map { "did you mean \($0)?" } ?? "definitions begin with type or enum")
        }
    }

    private mutating func object() throws(SDLFault) {
        let name = try takeName("the name of the type")
        if isWord("implements") {
            note(token.offset, "\"implements\" of \(name.text) has no effect here")
            try advance()
            while isAt("&") || (token.kind == .name) { try advance() }
        }
        let directives = try takeDirectives()
        if isRootType(name.text), !directives.contains(where: { $0.name.text == "model" }) {
            note(name.offset, "type \(name.text) has no effect here: only @model types are kept")
            if isAt("{") { try skipBlock(of: "type \(name.text)") }
            return
        }
        var fields: [SDLField] = []
        if isAt("{") {
            let brace = token.offset
            try advance()
            while !isAt("}") {
                try guardOpen(brace, of: "type \(name.text)")
                fields.append(try field(in: name.text, brace: brace))
            }
            try advance()
        }
        document.objects.append(SDLObject(name: name, directives: directives, fields: fields))
    }

    private mutating func field(in type: String, brace: Int) throws(SDLFault) -> SDLField {
        try skipDescription()
        guard token.kind == .name else { throw unexpected("a field of type \(type)") }
        let name = name()
        try advance()
        if token.kind == .name, isDefinitionKeyword(name.text) {
            throw SDLFault(
                brace,
                "the \"{\" of type \(type) is not closed before line \(source.line(of: name.offset))",
                hint: "add \"}\" after its last field")
        }
        if isAt("(") {
            let open = token.offset
            try advance()
            while !isAt(")") {
                try guardOpen(open, of: "the arguments of \(type).\(name.text)", closer: ")")
                try inputValue()
            }
            try advance()
            note(name.offset, "the arguments of \(type).\(name.text) have no effect here")
        }
        guard isAt(":") else {
            throw unexpected(
                "\":\" after the field \(name.text)", hint: "write \(name.text): String")
        }
        try advance()
        let fieldType = try self.type()
        return SDLField(name: name, type: fieldType, directives: try takeDirectives())
    }

    mutating func type() throws(SDLFault) -> SDLType {
        var isList = false
        var hasRequiredElements = false
        var open = token.offset
        if isAt("[") {
            isList = true
            try advance()
            open = token.offset
            if isAt("[") {
                throw SDLFault(
                    open, "a list of lists has no place in a record", hint: "use AWSJSON for it")
            }
        }
        let name = try takeName("a type")
        if isList {
            if isAt("!") {
                hasRequiredElements = true
                try advance()
            }
            guard isAt("]") else { throw unexpected("\"]\" after \(name.text)") }
            try advance()
        }
        var isRequired = false
        if isAt("!") {
            isRequired = true
            try advance()
        }
        return SDLType(
            name: name, isList: isList, isRequired: isRequired,
            hasRequiredElements: hasRequiredElements)
    }

    private mutating func enumeration() throws(SDLFault) {
        let name = try takeName("the name of the enum")
        try skipDirectives()
        guard isAt("{") else {
            throw unexpected("\"{\" and the values of enum \(name.text)")
        }
        let brace = token.offset
        try advance()
        var values: [SDLName] = []
        while !isAt("}") {
            try guardOpen(brace, of: "enum \(name.text)")
            try skipDescription()
            values.append(try takeName("a value of enum \(name.text)"))
            try skipDirectives()
        }
        try advance()
        document.enums.append(SDLEnum(name: name, values: values))
    }
}

// MARK: Tokens

extension SDLParser {
    mutating func advance() throws(SDLFault) { token = try lexer.next() }

    func name() -> SDLName {
        SDLName(text: source.text(token.range), offset: token.offset)
    }

    mutating func takeName(_ expected: String) throws(SDLFault) -> SDLName {
        guard token.kind == .name else { throw unexpected(expected) }
        let name = name()
        try advance()
        return name
    }

    func isAt(_ character: Unicode.Scalar) -> Bool {
        token.kind == .punctuation && token.byte == UInt8(ascii: character)
    }

    func isWord(_ word: StaticString) -> Bool {
        guard token.kind == .name, token.range.count == word.utf8CodeUnitCount else { return false }
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return source.bytes[token.range].elementsEqual(letters)
    }

    func guardOpen(_ open: Int, of what: String, closer: String = "}") throws(SDLFault) {
        guard token.kind == .end else { return }
        let opener = source.text(open..<open + 1)
        throw SDLFault(
            open, "the \"\(opener)\" of \(what) is never closed", hint: "add \"\(closer)\"")
    }

    func unexpected(_ expected: String, hint: String? = nil) -> SDLFault {
        let found =
            switch token.kind {
            case .end: "the end of the file"
            case .string, .blockString: "a text"
            default: "\"\(source.text(token.range))\""
            }
        return SDLFault(
            token.offset, "expected \(expected), found \(found)",
            hint: hint
                ?? (token.kind == .end ? "the file ends too early" : "put it before \(found)"))
    }

    mutating func note(_ offset: Int, _ text: String) {
        document.notes.append(SDLNote(offset: offset, text: text))
    }

    func isRootType(_ name: String) -> Bool {
        name == "Query" || name == "Mutation" || name == "Subscription"
    }

    func isDefinitionKeyword(_ name: String) -> Bool {
        switch name {
        case "type", "enum", "input", "scalar", "interface", "union", "extend": true
        default: false
        }
    }
}
