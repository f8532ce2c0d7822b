extension ShellError {
    /// The message on one line and the hint on another, for what a failure does not end.
    ///
    /// - Parameter spoken: Words the hint for where it is read.
    /// - Returns: Both, made safe; the message alone where there is no hint.
    func lines(_ spoken: (String) -> String = { $0 }) -> String {
        Sanitizer.lines([message, hint.map { "  \(spoken($0))" }])
    }

    /// The failure as the console tells it.
    ///
    /// This is the one way from an error to text, stream and JSON; `exitCode` is the one to a number.
    ///
    /// - Parameter script: The script's name as typed, `<stdin>` for standard input; nil for a single
    ///   command and at the prompt.
    /// - Returns: A report with the line where there is one.
    package func report(in script: String? = nil) -> ErrorReport {
        var place: ErrorReport.Place?
        if let script, let line { place = ErrorReport.Place(file: script, line: line) }
        return ErrorReport(
            kind: kind.rawValue, message: message, command: command, place: place, hint: hint)
    }
}
