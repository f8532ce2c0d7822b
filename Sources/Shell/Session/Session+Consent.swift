internal import Platform

extension Session {
    /// Shows what would be done and asks whether it may be.
    ///
    /// - Parameters:
    ///   - action: Such as "update 3 Post records".
    ///   - lines: What it is about; the first ones are shown.
    ///   - hint: Which options would do in place of a person.
    /// - Throws: Kind `.needsConsent` where nobody can be asked, or says no.
    func consent(
        to action: String, showing lines: some Collection<String> = [String](),
        hint: String = "--yes consents"
    ) throws(ShellError) {
        if options.assumesYes { return }
        guard console.terminal.canAsk, !options.noInput else {
            throw ShellError(.needsConsent, "to \(action) needs your consent", hint: hint)
        }
        for line in lines.prefix(20) { console.note("  \(line)") }
        if lines.count > 20 { console.note("  … and \(lines.count - 20) more") }
        guard try confirm("\(action)?") else {
            throw ShellError(.needsConsent, "not done: \(action)")
        }
    }

    /// Asks a person for y or N.
    func confirm(_ question: String) throws(ShellError) -> Bool {
        console.tell("\(Sanitizer.show(question)) [y/N] ")
        let reader = LineReader(
            0, name: "<stdin>", limit: 4_096, interrupting: interrupt.descriptor)
        let next = try written { () throws(SystemError) in try reader.next() }
        switch next {
        case .line(let bytes):
            let answer = String(decoding: bytes, as: UTF8.self).lowercased()
            return answer == "y" || answer == "yes"
        case .end:
            console.tell("\n")
            return false
        case .interrupted:
            console.tell("\n")
            throw ShellError(.interrupted, "interrupted")
        }
    }
}
