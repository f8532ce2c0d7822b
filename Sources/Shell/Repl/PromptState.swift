/// What the prompt tells.
package struct PromptState: Sendable, Equatable {
    /// How the backend is reached.
    package enum Network: Sendable, Equatable {
        case unknown, online, offline, needsLogin, paused
    }

    /// Nil when there is only one.
    package var context: String?
    /// Nil without a backend.
    package var network: Network?
    /// Changes not yet delivered.
    package var queued = 0
    /// Conflicts and refused changes, which wait for a person.
    package var troubled = 0

    package init(
        context: String? = nil, network: Network? = nil, queued: Int = 0, troubled: Int = 0
    ) {
        self.context = context
        self.network = network
        self.queued = queued
        self.troubled = troubled
    }
}

extension PromptState {
    /// The prompt's text, such as `satchel blog ● 3↑> `.
    ///
    /// Colours are marked the way readline needs to know what takes no column.
    package func text(colored: Bool) -> String {
        var parts = ["satchel"]
        if let context { parts.append(Sanitizer.show(context)) }
        if let network {
            let color =
                switch network {
                case .unknown: "2"
                case .online: "32"
                case .offline, .paused: "33"
                case .needsLogin: "31"
                }
            parts.append(Self.dressed(network.sign, color, colored))
        }
        if queued > 0 { parts.append(Self.dressed("\(queued)↑", "36", colored)) }
        if troubled > 0 { parts.append(Self.dressed("\(troubled)!", "31", colored)) }
        return parts.joined(separator: " ") + "> "
    }

    /// The prompt of a line that goes on with what is open.
    package static let continuation = "...> "

    private static func dressed(_ text: String, _ color: String, _ colored: Bool) -> String {
        colored ? "\u{1}\u{1B}[\(color)m\u{2}\(text)\u{1}\u{1B}[0m\u{2}" : text
    }
}

extension PromptState.Network {
    fileprivate var sign: String {
        switch self {
        case .unknown: "◌"
        case .online: "●"
        case .offline: "○"
        case .needsLogin: "⊘"
        case .paused: "‖"
        }
    }
}
