extension Completions {
    /// What `__complete` prints: a line `value<TAB>help` a candidate, and a last line of directives.
    ///
    /// The last line is a colon and any of `nospace` and `files`, separated by commas. A value with
    /// a control character cannot be typed and is left out.
    package var reply: String {
        var text = ""
        for candidate in candidates where !candidate.value.utf8.contains(where: \.isControl) {
            let help = Sanitizer.show(candidate.help)
            text += help.isEmpty ? "\(candidate.value)\n" : "\(candidate.value)\t\(help)\n"
        }
        let directives = (goesOn ? ["nospace"] : []) + (includesFiles ? ["files"] : [])
        return text + ":" + directives.joined(separator: ",") + "\n"
    }
}

extension Completer {
    /// Answers what a shell's completion script asks.
    ///
    /// A word past the end is an empty one; the first word is the program.
    package func reply(to request: CompleteRequest) -> String {
        guard request.current > 0 else { return Completions.none.reply }
        let words = Array(request.words.prefix(request.current).dropFirst())
        let isThere = request.words.indices.contains(request.current)
        let current = isThere ? request.words[request.current] : ""
        return completions(after: words, current: current).reply
    }
}

extension UInt8 {
    fileprivate var isControl: Bool { self < 0x20 || self == 0x7F }
}
