package import JSON
package import Records

/// Tells the author of a plugin what it does well and what it does wrong.
package struct ConformanceKit {
    private let bench: ConformanceBench
    private let level: ConformanceLevel

    /// - Parameters:
    ///   - setting: How to start the plugin and how long to wait for it.
    ///   - level: How far to go; from `write` on, records are made and deleted again.
    ///   - config: The context's configuration for the plugin; what it asks for as a secret with
    ///     `configure` is sent as one.
    ///   - expected: The models to read of a plugin that tells none and takes no writes.
    ///   - onSilence: Told when the plugin leaves a request without a line for a while.
    ///   - askSecret: Gives a secret that the plugin wants and `config` does not have, by its key and
    ///     its label; nil where there is none.
    package init(
        _ setting: PluginConnection.Setting, level: ConformanceLevel, config: JSONObject,
        expected: Schema = Schema(), onSilence: @escaping (String) -> Void = { _ in },
        askSecret: @escaping (String, String) throws(PluginError) -> String? =
            { (_, _) throws(PluginError) in nil }
    ) {
        self.level = level
        bench = ConformanceBench(
            setting, config: config, expected: expected, onSilence: onSilence, askSecret: askSecret)
    }

    /// Runs the checks; `report` sees each verdict as it falls.
    ///
    /// - Throws: When the plugin cannot be started at all, or the user interrupts.
    package func run(
        _ report: (ConformanceVerdict) -> Void
    ) throws(PluginError) -> [ConformanceVerdict] {
        defer { bench.close() }
        try bench.begin(writing: level > .read)
        defer { bench.cleanUp() }
        var verdicts: [ConformanceVerdict] = []
        var told = Told()
        for check in ConformanceBench.checks where check.level <= level {
            bench.transcript.clear()
            bench.remarks = []
            let verdict = try verdict(on: check, &told)
            report(verdict)
            verdicts.append(verdict)
        }
        return verdicts
    }

    /// What the report has said already.
    private struct Told {
        /// The first check that failed so, by what was wrong.
        var failures: [String: String] = [:]
        /// What plugins wrote to their standard error, and other hints.
        var hints: Set<String> = []
    }

    private func verdict(
        on check: ConformanceBench.Check, _ told: inout Told
    ) throws(PluginError) -> ConformanceVerdict {
        var verdict = ConformanceVerdict(check: check.name, level: check.level, result: .ok)
        do throws(Shortfall) {
            try check.body(bench)()
            if !bench.remarks.isEmpty {
                verdict.detail = bench.remarks.joined(separator: "; ")
            }
        } catch {
            if case .skipped(let words) = error {
                (verdict.result, verdict.detail) = (.skipped, words)
                return verdict
            }
            let (words, hint) = try meaning(of: error)
            verdict.result = .failed
            verdict.detail = words
            verdict.transcript = bench.transcript.lines
            if let hint, told.hints.insert(hint).inserted { verdict.detail = "\(words); \(hint)" }
            // One fault can fail every check: who reads of it once has read enough.
            if let first = told.failures[words] {
                verdict.transcript = ["(as with \"\(first)\" above)"]
            } else {
                told.failures[words] = check.name
            }
        }
        return verdict
    }

    private func meaning(
        of shortfall: Shortfall
    ) throws(PluginError) -> (words: String, hint: String?) {
        switch shortfall {
        case .failed(let words), .skipped(let words): return (words, nil)
        case .plugin(let error):
            if error.kind == .interrupted { throw error }
            return (error.message, error.hint)
        }
    }
}

extension ConformanceBench {
    struct Check {
        let level: ConformanceLevel
        let name: String
        let body: (ConformanceBench) -> () throws(Shortfall) -> Void

        init(
            _ level: ConformanceLevel, _ name: String,
            _ body: @escaping (ConformanceBench) -> () throws(Shortfall) -> Void
        ) {
            self.level = level
            self.name = name
            self.body = body
        }
    }

    /// In the order they run; what ends the plugin comes last.
    static var checks: [Check] {
        [
            Check(.read, "identity is the same after a restart", identityStays),
            Check(.read, "ping is answered", pingIsAnswered),
            Check(.read, "a page keeps to its limit", pageKeepsToItsLimit),
            Check(.read, "paging is complete", pagingIsComplete),
            Check(.read, "paging is stable", pagingIsStable),
            Check(.read, "a cursor resumes after a restart", cursorResumes),
            Check(.read, "records are as their model says", recordsFitTheirModel),
            Check(.read, "fetch answers every id", fetchAnswersEveryID),
            Check(.read, "unknown fields are ignored", unknownFieldsAreIgnored),
            Check(.read, "an unknown request is refused", unknownRequestIsRefused),
            Check(.read, "cancel is answered in time", cancelIsAnswered),
            Check(.write, "every operation gets one verdict", everyOperationGetsOneVerdict),
            Check(.write, "what is written can be read", whatIsWrittenCanBeRead),
            Check(.write, "an ok tells the version", okTellsTheVersion),
            Check(.write, "values of every type are kept", everyTypeIsKept),
            Check(.write, "empty and zero values are kept", emptyIsKept),
            Check(.write, "texts stay texts and numbers numbers", typesStay),
            Check(.write, "large numbers and long texts are kept", largeIsKept),
            Check(.write, "lists keep their order", listsKeepTheirOrder),
            Check(.write, "null clears a field", nullClears),
            Check(.write, "a required field is never null", requiredIsNeverNull),
            Check(.write, "the same key twice is one effect", sameKeyIsOneEffect),
            Check(.write, "a stale base conflicts", staleBaseConflicts),
            Check(.write, "a bad field is rejected and named", badFieldIsNamed),
            Check(.sync, "a delta misses nothing", deltaMissesNothing),
            Check(.sync, "a deletion is a tombstone", deletionIsTombstone),
            Check(.sync, "events tell of changes", eventsTellOfChanges),
            Check(.sync, "events are hints", eventsAreHints),
            Check(.sync, "lost events are a gap", lostEventsAreGap),
            Check(.read, "it exits at the end of its input", exitsAtEndOfInput),
        ]
    }
}
