extension Invocation {
    /// Reads the process's arguments.
    package static func parse(arguments: [String]) throws(ShellError) -> Invocation {
        var parser = InvocationParser(ArgumentWords(arguments))
        return try parser.parse()
    }

    /// Reads one command of a script or of the prompt, its continued lines joined by LF.
    ///
    /// - Returns: Nil for a blank line and for a comment.
    package static func parse(line: UnsafeRawBufferPointer) throws(ShellError) -> Invocation? {
        var parser = InvocationParser(LineWords(line))
        let invocation = try parser.parse()
        guard invocation.command != nil else {
            guard parser.isEmpty else { throw .usage("there is no command beside the options") }
            return nil
        }
        return invocation
    }

    package static func parse(line: String) throws(ShellError) -> Invocation? {
        try line.utf8Span.span.withUnsafeBytes { (bytes) throws(ShellError) in
            try parse(line: bytes)
        }
    }
}

extension OutputFormat {
    /// The format that words ask for which may not parse as a whole: so that the error about them
    /// comes in it.
    package static func requested(in words: some Sequence<String>) -> OutputFormat? {
        var format: OutputFormat?
        var isNext = false
        for word in words {
            if isNext {
                format = OutputFormat(rawValue: word) ?? format
                isNext = false
            } else if word == "--" {
                break
            } else if word == "-o" || word == "--output" {
                isNext = true
            } else if word.hasPrefix("--output=") {
                format = OutputFormat(rawValue: String(word.dropFirst(9))) ?? format
            } else if word.hasPrefix("-o") {
                format = OutputFormat(rawValue: String(word.dropFirst(2))) ?? format
            }
        }
        return format
    }
}
