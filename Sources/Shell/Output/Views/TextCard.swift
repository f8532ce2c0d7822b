/// Lines for people: names, then values at one column, then hints.
struct TextCard {
    private let style: Style
    private var lines: [(name: String, value: String)] = []
    private var hints: [String] = []

    init(_ style: Style) { self.style = style }

    mutating func line(_ name: String, _ value: String) { lines.append((name, value)) }

    mutating func hint(_ text: String) { hints.append(text) }

    var text: String {
        let shown = lines.map { (name: Sanitizer.show($0.name), value: $0.value) }
        let width = shown.map(\.name.displayWidth).max() ?? 0
        var text = ""
        for line in shown {
            let padding = String(repeating: " ", count: width + 2 - line.name.displayWidth)
            let value = Sanitizer.show(line.value, lines: .kept).split(
                separator: "\n", omittingEmptySubsequences: false
            ).joined(separator: "\n" + String(repeating: " ", count: width + 2))
            text += "\(style(.bold, line.name))\(padding)\(value)\n"
        }
        for hint in hints { text += style(.dim, "  \(Sanitizer.show(hint))") + "\n" }
        return text
    }
}
