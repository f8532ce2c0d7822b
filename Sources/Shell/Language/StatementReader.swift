package import Platform

/// Reads the commands of a script: a line each, or several joined by a backslash or an open quote.
package struct StatementReader {
    private let lines: LineReader
    private var pending: [UInt8] = []

    package init(_ lines: LineReader) { self.lines = lines }

    /// True when the next command would be given without waiting for its writer.
    package var isReady: Bool { lines.isReady }

    /// Gives the next command to `body`, with the number of the physical line it begins on.
    ///
    /// The bytes are valid during the call only. A blank line and a comment are commands without
    /// words.
    ///
    /// - Returns: What `body` returns; nil at the end of the input.
    /// - Throws: What `body` throws, with the line filled in; kind `.usage` for a quote that is never
    ///   closed, at the line where it opens; kind `.interrupted`.
    package mutating func next<Result>(
        _ body: (_ command: UnsafeRawBufferPointer, _ line: Int) throws(ShellError) -> Result
    ) throws(ShellError) -> Result? {
        guard var line = try nextLine() else { return nil }
        let number = lines.lineNumber
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) {
            line = UnsafeRawBufferPointer(rebasing: line[3...])
        }
        var scanner = QuoteScanner()
        if scanner.scan(line) == .complete {
            return try ShellError.locating(number) { () throws(ShellError) in
                try body(line, number)
            }
        }
        try join(line, &scanner)
        return try ShellError.locating(number) { () throws(ShellError) in
            try pending.span.withUnsafeBytes { (bytes) throws(ShellError) in
                try body(bytes, number)
            }
        }
    }

    /// Collects in `pending` the lines of the command that begins with `first`.
    private mutating func join(
        _ first: UnsafeRawBufferPointer, _ scanner: inout QuoteScanner
    ) throws(ShellError) {
        pending.removeAll(keepingCapacity: true)
        pending.append(contentsOf: first)
        var openedAt = lines.lineNumber
        while scanner.state != .complete {
            let before = scanner.state
            guard let line = try nextLine() else {
                guard case .openQuote(let quote) = before else { return }
                throw ShellError(
                    .usage, "the quote \(String(UnicodeScalar(quote))) opened here is never closed",
                    line: openedAt)
            }
            pending.append(0x0A)
            pending.append(contentsOf: line)
            let after = scanner.scan(line)
            if after != before { openedAt = lines.lineNumber }
        }
    }

    private func nextLine() throws(ShellError) -> UnsafeRawBufferPointer? {
        do throws(SystemError) {
            switch try lines.next() {
            case .line(let bytes): return bytes
            case .end: return nil
            case .interrupted: throw SystemError(code: 4, message: "interrupted")
            }
        } catch {
            if error.kind == .interrupted { throw ShellError(.interrupted, "interrupted") }
            let isLong = error.kind == .tooLarge
            throw ShellError(
                isLong ? .input : .system, isLong ? "the line is too long" : error.message,
                line: isLong ? lines.lineNumber : nil)
        }
    }
}

extension ShellError {
    /// Runs `body`; its error gets the line, unless it knows a better one.
    package static func locating<Result>(
        _ line: Int, _ body: () throws(ShellError) -> Result
    ) throws(ShellError) -> Result {
        do throws(ShellError) {
            return try body()
        } catch {
            var located = error
            located.line = error.line ?? line
            throw located
        }
    }
}
