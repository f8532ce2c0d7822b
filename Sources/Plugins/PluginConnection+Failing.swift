internal import Platform

// How a connection ends before its time, and what people are told of it.

extension PluginConnection {
    func fail(_ error: PluginError) {
        failure = error
        // It has had its time, or cannot be understood: no need to wait for it to see the end.
        setting.teardown.stop(process, closing: 0, terminating: setting.deadlines.terminating)
    }

    /// It did not answer in time.
    ///
    /// - Parameters:
    ///   - method: What it was asked.
    ///   - limit: What that has, in milliseconds.
    ///   - started: When it was asked.
    ///   - lastHeard: When it last told of progress; nil for never.
    /// - Returns: What went wrong, for the caller to throw; the plugin is stopped.
    func late(
        _ method: PluginMethod, _ limit: Int64, since started: Int64, lastHeard: Int64? = nil
    ) -> PluginError {
        func time(_ limit: Int64) -> String {
            limit % 1000 == 0 ? "\(limit / 1000) s" : "\(limit) ms"
        }
        var words = "did not answer \(method.rawValue) within \(time(limit))"
        if let lastHeard {
            let longest = setting.deadlines.longest
            words =
                lastHeard + limit < started + longest
                ? "told of progress with \(method.rawValue), and then of nothing for \(time(limit))"
                : "did not end \(method.rawValue) within \(time(longest)), all its progress told"
        }
        var hint = lastWords
        if inbox.lines == 0 { hint = Self.flushing + (hint.map { "; \($0)" } ?? "") }
        let error = PluginError(.deadline, "plugin \(setting.name) \(words)", hint: hint)
        fail(error)
        return error
    }

    private static let flushing = "it has written no line: does it flush its output after each one?"

    func silent(_ method: PluginMethod) -> String {
        let time = setting.deadlines.silence / 1000
        return "no line from \(setting.name) within \(time) s of \(method.rawValue)"
            + (inbox.lines == 0 ? ": does it flush its output after each one?" : "; waiting")
    }

    func abandoned(_ method: PluginMethod) -> PluginError {
        let error = PluginError(.interrupted, "interrupted while waiting for \(setting.name)")
        fail(error)
        return error
    }

    /// Its input is closed: says why, waiting a moment for its last words.
    func closed(during method: PluginMethod) -> PluginError {
        let deadline = setting.clock.monotonic() + 1_000
        while failure == nil {
            let left = deadline - setting.clock.monotonic()
            guard left > 0, let item = inbox.items.take(within: left) else { break }
            take(item, during: method)
        }
        if let failure { return failure }
        let error = PluginError(
            .died, "plugin \(setting.name) closed its input before it took \(method.rawValue)",
            hint: lastWords)
        fail(error)
        return error
    }

    /// The end of its standard error, as a hint.
    var lastWords: String? {
        let words = inbox.lastWords
        return words.isEmpty ? nil : "it wrote: \(words)"
    }

    static func hint(_ error: SystemError, _ program: Program) -> String? {
        switch error.kind {
        case .notFound where Files.exists(program.path):
            "the interpreter its first line names is missing"
        case .permission: "make it executable: chmod +x \(program.path)"
        case .other where Files.exists(program.path):
            "a script must begin with a line such as #!/bin/sh"
        default: nil
        }
    }
}
