extension ShellError {
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
