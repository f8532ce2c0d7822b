internal import Synchronization

/// The lines exchanged during a check, masked and bounded.
final class Transcript: Sendable {
    private static let firstLines = 6
    private static let lastLines = 14

    private let text: ForeignText
    private let state = Mutex(State())

    private struct State {
        var first: [String] = []
        var last: [String] = []
        var leftOut = 0
    }

    init(masker: Masker) { text = ForeignText(masker: masker) }

    func take(_ line: WireLine) {
        // Masked as a whole: half a secret would not be found.
        let words = text.shown(Array(line.bytes.prefix(64 * 1024)), limit: 400)
        let shown = (line.isFromHost ? "> " : "< ") + words
        state.withLock { state in
            if state.first.count < Self.firstLines {
                state.first.append(shown)
            } else {
                state.last.append(shown)
                if state.last.count > Self.lastLines {
                    state.last.removeFirst()
                    state.leftOut += 1
                }
            }
        }
    }

    func clear() { state.withLock { $0 = State() } }

    /// `>` is what the plugin was asked, `<` what it said.
    var lines: [String] {
        state.withLock { state in
            let gap = state.leftOut > 0 ? ["… \(state.leftOut) lines"] : []
            return state.first + gap + state.last
        }
    }
}
