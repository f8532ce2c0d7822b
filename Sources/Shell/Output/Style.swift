/// Dresses text in colours, or leaves it alone.
///
/// Colour never carries meaning of its own: what it says stands in words too.
package enum Style: Sendable {
    case plain
    case colored

    package enum Look: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case cyan = "36"
        case boldRed = "1;31"
    }

    package func callAsFunction(_ look: Look, _ text: String) -> String {
        switch self {
        case .plain: text
        case .colored: "\u{1b}[\(look.rawValue)m\(text)\u{1b}[0m"
        }
    }
}
