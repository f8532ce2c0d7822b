/// Directives, their arguments and values.
extension SDLParser {
    mutating func takeDirectives() throws(SDLFault) -> [SDLDirective] {
        guard isAt("@") else { return [] }
        var directives: [SDLDirective] = []
        while isAt("@") {
            let at = token.offset
            try advance()
            var name = try takeName("the name of a directive")
            name.offset = at
            var arguments: [SDLArgument] = []
            if isAt("(") {
                let open = token.offset
                try advance()
                while !isAt(")") {
                    try guardOpen(open, of: "@\(name.text)", closer: ")")
                    let argument = try argument(of: name.text, depth: 0)
                    if arguments.contains(where: { $0.name.text == argument.name.text }) {
                        throw SDLFault(
                            argument.name.offset,
                            "@\(name.text) has \(argument.name.text) twice", hint: "remove one")
                    }
                    arguments.append(argument)
                }
                try advance()
            }
            directives.append(SDLDirective(name: name, arguments: arguments))
        }
        return directives
    }

    private mutating func argument(of owner: String, depth: Int) throws(SDLFault) -> SDLArgument {
        let name = try takeName("an argument of @\(owner)")
        guard isAt(":") else { throw unexpected("\":\" after \(name.text)") }
        try advance()
        return SDLArgument(name: name, value: try value(depth: depth))
    }

    mutating func value(depth: Int) throws(SDLFault) -> SDLValue {
        let start = token.offset
        guard depth < SDLParser.maxDepth else {
            throw SDLFault(
                start, "values nest deeper than \(SDLParser.maxDepth)", hint: "flatten them")
        }
        switch token.kind {
        case .string:
            let text = try SDLText.unescaped(source, token.range)
            try advance()
            return SDLValue(offset: start, kind: .string(text))
        case .blockString:
            let text = SDLText.block(source, token.range)
            try advance()
            return SDLValue(offset: start, kind: .string(text))
        case .name, .number:
            let text = source.text(token.range)
            try advance()
            return SDLValue(offset: start, kind: .word(text))
        default: break
        }
        if isAt("[") {
            try advance()
            var elements: [SDLValue] = []
            while !isAt("]") {
                try guardOpen(start, of: "a list", closer: "]")
                elements.append(try value(depth: depth + 1))
            }
            try advance()
            return SDLValue(offset: start, kind: .list(elements))
        }
        if isAt("{") {
            try advance()
            var members: [SDLArgument] = []
            while !isAt("}") {
                try guardOpen(start, of: "a value")
                members.append(try argument(of: "the value", depth: depth + 1))
            }
            try advance()
            return SDLValue(offset: start, kind: .object(members))
        }
        if isAt("$") {
            throw SDLFault(start, "a schema has no variables", hint: "write the value itself")
        }
        throw unexpected("a value")
    }
}
