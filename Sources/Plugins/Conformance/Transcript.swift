internal import Synchronization

/// The lines exchanged during a check, masked and bounded.
final class Transcript: Sendable {
    private static let firstLines = 6
    private static let lastLines = 14

    private let text: ForeignText
    private let state = Mutex(State())

    private struct State {
        var first: [WireLine] = []
        var last: [WireLine] = []
        var leftOut = 0
    }

    init(masker: Masker) { text = ForeignText(masker: masker) }

    func take(_ line: WireLine) {
        // Far more than is shown: half a secret would not be found.
        let line = WireLine(isFromHost: line.isFromHost, bytes: line.bytes.prefix(64 * 1024))
        state.withLock { state in
            if state.first.count < Self.firstLines {
                state.first.append(line)
            } else {
                state.last.append(line)
                if state.last.count > Self.lastLines {
                    state.last.removeFirst()
                    state.leftOut += 1
                }
            }
        }
    }

    func clear() { state.withLock { $0 = State() } }

    /// `>` is what the plugin was asked, `<` what it said.
    ///
    /// Masked only here: a line that hands over a new secret comes before anybody knows it.
    var lines: [String] {
        state.withLock { state in
            let gap = state.leftOut > 0 ? ["… \(state.leftOut) lines"] : []
            return state.first.map(shown) + gap + state.last.map(shown)
        }
    }

    private func shown(_ line: WireLine) -> String {
        (line.isFromHost ? "> " : "< ") + text.shown(Array(line.bytes), limit: 400)
    }
}
