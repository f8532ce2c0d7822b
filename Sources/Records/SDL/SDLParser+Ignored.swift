/// What is read over: definitions without effect here.
extension SDLParser {
    mutating func typeExtension(_ keyword: SDLName) throws(SDLFault) {
        let kind = try takeName("what is extended")
        guard kind.text == "type", isRootType(source.text(token.range)) else {
            throw SDLFault(
                keyword.offset, "\"extend\" is not read",
                hint: "write the fields into the definition itself")
        }
        note(token.offset, "type \(source.text(token.range)) has no effect here")
        try advance()
        try skipDirectives()
        if isAt("{") { try skipBlock(of: "type") }
    }

    mutating func other(_ keyword: SDLName) throws(SDLFault) {
        let name = try takeName("a name after \(keyword.text)")
        document.others.append(SDLOther(keyword: keyword.text, name: name))
        note(keyword.offset, "\(keyword.text) \(name.text) has no effect here")
        if isWord("implements") {
            try advance()
            while isAt("&") || token.kind == .name { try advance() }
        }
        try skipDirectives()
        if keyword.text == "union", isAt("=") {
            try advance()
            if isAt("|") { try advance() }
            _ = try takeName("a member of union \(name.text)")
            while isAt("|") {
                try advance()
                _ = try takeName("a member of union \(name.text)")
            }
        } else if isAt("{") {
            try skipBlock(of: "\(keyword.text) \(name.text)")
        }
    }

    mutating func directiveDefinition() throws(SDLFault) {
        guard isAt("@") else { throw unexpected("\"@\" and the name of the directive") }
        try advance()
        let name = try takeName("the name of the directive")
        note(name.offset, "the definition of @\(name.text) has no effect here")
        if isAt("(") {
            let open = token.offset
            try advance()
            while !isAt(")") {
                try guardOpen(open, of: "@\(name.text)", closer: ")")
                try inputValue()
            }
            try advance()
        }
        if isWord("repeatable") { try advance() }
        guard isWord("on") else { throw unexpected("\"on\"") }
        try advance()
        if isAt("|") { try advance() }
        _ = try takeName("where @\(name.text) may stand")
        while isAt("|") {
            try advance()
            _ = try takeName("where @\(name.text) may stand")
        }
    }

    mutating func inputValue() throws(SDLFault) {
        try skipDescription()
        let name = try takeName("an argument")
        guard isAt(":") else { throw unexpected("\":\" after \(name.text)") }
        try advance()
        _ = try type()
        if isAt("=") {
            try advance()
            _ = try value(depth: 0)
        }
        try skipDirectives()
    }

    /// Reads over a block by its brackets alone.
    mutating func skipBlock(of what: String) throws(SDLFault) {
        guard isAt("{") else { throw unexpected("\"{\"") }
        let brace = token.offset
        var depth = 0
        repeat {
            if isAt("{") { depth += 1 }
            if isAt("}") { depth -= 1 }
            try advance()
            if depth > 0 { try guardOpen(brace, of: what) }
        } while depth > 0
    }

    mutating func skipDescription() throws(SDLFault) {
        if token.kind == .string || token.kind == .blockString { try advance() }
    }

    mutating func skipDirectives() throws(SDLFault) {
        _ = try takeDirectives()
    }
}
