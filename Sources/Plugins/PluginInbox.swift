internal import JSON
internal import Platform
internal import Synchronization

/// Turns a plugin's output into messages, on the thread that reads it.
///
/// Parsing there leaves the thread that waits for answers free to store the page before.
final class PluginInbox: Sendable {
    enum Item: Sendable {
        case message(PluginMessage)
        /// The plugin broke the protocol; nothing it says after this is used.
        case violation(PluginError)
        case ended(ExitStatus)
    }

    /// More events than this waiting become one gap.
    private static let mostEvents = 10_000
    /// A page asked for ahead, and what was given up meanwhile: more than these nobody asked for.
    private static let mostAnswers = 16
    /// More signs of life than these, which nobody has looked at, say nothing new.
    private static let mostProgress = 1_000
    private static let mostSecrets = 1_000
    private static let largestSecret = 64 << 10
    private static let mostSecretBytes = 1 << 20

    let items: Mailbox<Item>
    private let name: String
    private let text: ForeignText
    private let log: @Sendable (PluginLog) -> Void
    private let wire: (@Sendable (WireLine) -> Void)?
    private let takesApart: Bool
    private let state = Mutex(State())

    private struct State {
        var isBroken = false
        /// The last lines of its standard error.
        var lastWords: [String] = []
        var lastWordsSize = 0
        var waitingEvents = 0
        var waitingAnswers = 0
        var waitingProgress = 0
        var secrets = 0
        var secretBytes = 0
        var lines = 0
    }

    init(
        name: String, masker: Masker, log: @escaping @Sendable (PluginLog) -> Void,
        wire: (@Sendable (WireLine) -> Void)? = nil, takesApart: Bool = false
    ) throws(SystemError) {
        items = try Mailbox()
        self.name = name
        text = ForeignText(masker: masker)
        self.log = log
        self.wire = wire
        self.takesApart = takesApart
    }

    /// The end of what it wrote to its standard error; empty when it wrote nothing.
    var lastWords: String { state.withLock { $0.lastWords.joined(separator: "\n") } }

    /// Tells that a message was taken out of the queue.
    func took(_ message: PluginMessage) {
        state.withLock { state in
            switch message {
            case .event, .gap: state.waitingEvents = max(0, state.waitingEvents - 1)
            case .result, .failure: state.waitingAnswers -= 1
            case .progress: state.waitingProgress -= 1
            case .log, .secret, .unknown: break
            }
        }
    }

    /// How many whole lines it has written to its standard output.
    var lines: Int { state.withLock { $0.lines } }

    func take(_ event: OutputReader.Event) {
        switch event {
        case .line(let bytes): take(line: bytes)
        case .foreign(let bytes):
            fail(
                .notProtocol, "printed \"\(text.shown(bytes, limit: 200))\" on its standard output",
                hint: "standard output is for the protocol alone; logs go to standard error")
        case .tooLong:
            fail(.lineTooLong, "sent a line longer than \(OutputReader.limit >> 20) MiB")
        case .halfLine(let bytes):
            fail(.halfLine, "ended in the middle of a line: \"\(text.shown(bytes, limit: 200))\"")
        case .closed: fail(.closedOutput, "closed its standard output and went on running")
        case .errors(let bytes): take(complaint: Array(bytes))
        case .ended(let status): items.put(.ended(status))
        }
    }

    private func take(line: UnsafeRawBufferPointer) {
        let isBroken = state.withLock { state in
            state.lines += 1
            return state.isBroken
        }
        if isBroken { return }
        wire?(WireLine(isFromHost: false, bytes: Array(line)[...]))
        do throws(PluginError) {
            let message = try PluginMessage.read(line, apart: takesApart ? text : nil)
            switch message {
            case .log(let level, let words):
                report(.notification(level: text.shown(level, limit: 20)), words)
            case .unknown(let method): report(.host, "sent \"\(method)\", which is ignored")
            case .event, .gap: take(event: message)
            case .secret(let key, let value, _):
                guard countsSecret(of: key.utf8.count + value.utf8.count) else { return }
                text.masker.add(value)
                items.put(.message(message))
            case .result, .failure: take(answer: message)
            case .progress:
                let isNews = state.withLock { state in
                    guard state.waitingProgress < Self.mostProgress else { return false }
                    state.waitingProgress += 1
                    return true
                }
                if isNews { items.put(.message(message)) }
            }
        } catch {
            guard case .violation(let violation) = error.kind else { return }
            let words = "sent a line that cannot be read (\(error.message))"
            fail(violation, "\(words): \"\(text.shown(Array(line.prefix(4096)), limit: 200))\"")
        }
    }

    /// Each secret is one more thing to look for in all that is said, so they are bounded.
    private func countsSecret(of size: Int) -> Bool {
        let isAllowed = state.withLock { state in
            state.secrets += 1
            state.secretBytes += min(size, Self.mostSecretBytes + 1)
            return state.secrets <= Self.mostSecrets && state.secretBytes <= Self.mostSecretBytes
        }
        if isAllowed, size <= Self.largestSecret { return true }
        fail(
            .tooManySecrets,
            "sent more secrets than it may: \(Self.mostSecrets) and \(Self.mostSecretBytes) bytes a run, "
                + "\(Self.largestSecret) bytes each")
        return false
    }

    /// Between requests nobody looks at answers; they must not pile up until somebody does.
    private func take(answer message: PluginMessage) {
        let waiting = state.withLock { state in
            state.waitingAnswers += 1
            return state.waitingAnswers
        }
        if waiting <= Self.mostAnswers { return items.put(.message(message)) }
        fail(.tooManyAnswers, "gave more than \(Self.mostAnswers) answers that nobody asked for")
    }

    private func take(event message: PluginMessage) {
        let waiting = state.withLock { state in
            state.waitingEvents += 1
            return state.waitingEvents
        }
        if waiting <= Self.mostEvents {
            items.put(.message(message))
        } else if waiting == Self.mostEvents + 1 {
            items.put(.message(.gap))
        } else {
            took(message)
        }
    }

    private func take(complaint bytes: [UInt8]) {
        let line = text.shown(bytes, limit: 8 * 1024)
        state.withLock { state in
            state.lastWords.append(line)
            state.lastWordsSize += line.utf8.count
            while state.lastWordsSize > 8 * 1024, state.lastWords.count > 1 {
                state.lastWordsSize -= state.lastWords.removeFirst().utf8.count
            }
        }
        log(PluginLog(plugin: name, source: .standardError, message: line))
    }

    func report(_ source: PluginLog.Source, _ words: String) {
        log(PluginLog(plugin: name, source: source, message: text.shown(words)))
    }

    private func fail(_ violation: PluginError.Violation, _ words: String, hint: String? = nil) {
        let first = state.withLock { state in
            defer { state.isBroken = true }
            return !state.isBroken
        }
        guard first else { return }
        let message = "plugin \(name) broke the protocol: it \(words)"
        items.put(.violation(PluginError(.violation(violation), message, hint: hint)))
    }
}
