extension Session {
    /// Shows what would be done and asks whether it may be.
    ///
    /// - Throws: Kind `.needsConsent` where nobody can be asked, or says no.
    func consent(to action: String, showing lines: [String] = []) throws(ShellError) {
        if options.assumesYes { return }
        guard console.terminal.canAsk, !options.noInput else {
            throw ShellError(
                .needsConsent, "to \(action) needs your consent", hint: "--yes consents")
        }
        for line in lines.prefix(20) { console.note("  \(line)") }
        if lines.count > 20 { console.note("  … and \(lines.count - 20) more") }
        guard try confirm("\(action)?") else {
            throw ShellError(.needsConsent, "not done: \(action)")
        }
    }
}
