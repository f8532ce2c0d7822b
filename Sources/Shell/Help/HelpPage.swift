/// The texts of `help`.
package struct HelpPage {
    private let style: Style
    private let width: Int
    private var text = ""

    private init(_ style: Style, width: Int) {
        self.style = style
        self.width = min(max(width, 60), 100)
    }

    /// The page about a command or a topic; the overview for no words.
    ///
    /// `width` is the terminal's: lines are broken there, but at 60 columns at least and 100 at most.
    ///
    /// - Throws: Kind `.usage` for what is neither.
    package static func text(
        _ topic: [String], style: Style = .plain, width: Int = 80
    ) throws(ShellError) -> String {
        var page = HelpPage(style, width: width)
        guard let word = topic.first else {
            page.writeOverview()
            return page.text
        }
        if let command = CommandName(rawValue: word), command != .complete {
            page.write(command)
        } else if let topic = HelpTopic(rawValue: word) {
            page.write(topic)
        } else {
            let names = CommandName.visible.map(\.rawValue) + HelpTopic.allCases.map(\.rawValue)
            throw .usage(
                "there is no help on \"\(word)\"",
                hint: Suggestion.hint(for: word, among: names) ?? "\"help\" lists the commands",
                command: CommandName.help.rawValue)
        }
        return page.text
    }
}

extension HelpPage {
    private mutating func writeOverview() {
        paragraph("Records of an API, at hand offline, delivered when the network allows.")
        heading("usage")
        entries([
            ("satchel", "the shell on a terminal; elsewhere commands from standard input"),
            ("satchel COMMAND ...", "one command"),
            ("satchel -f FILE", "a script"),
        ])
        for group in HelpGroup.allCases {
            heading(group.rawValue)
            entries(group.commands.map { ($0.rawValue, $0.summary) })
        }
        heading("more")
        entries(HelpTopic.allCases.map { ("help \($0.rawValue)", $0.summary) })
        text += "\n"
        paragraph("\"help COMMAND\" explains a command, with examples.")
    }

    private mutating func write(_ command: CommandName) {
        let details = command.details
        text += "\(style(.bold, command.rawValue)): \(command.summary)\n"
        heading("usage")
        for form in command.usageForms { wrap(form, indentation: 2, hanging: 6) }
        for part in details.paragraphs {
            text += "\n"
            paragraph(part)
        }
        let options = command.options.names
        if !options.isEmpty {
            heading("options")
            entries(options.map { ($0.spelling, $0.summary) })
        }
        heading("examples")
        for example in details.examples {
            wrap(example.line, indentation: 2, hanging: 6)
            for line in lines(of: example.note, indentation: 6, hanging: 6) {
                text += style(.dim, String(line)) + "\n"
            }
        }
        if !details.exits.isEmpty {
            heading("exit codes beside 0, 1 and 2")
            entries(details.exits.map { ("\($0.code.rawValue)", $0.meaning) })
        }
    }

    private mutating func write(_ topic: HelpTopic) {
        text += "\(style(.bold, topic.rawValue)): \(topic.summary)\n"
        for part in topic.paragraphs {
            text += "\n"
            paragraph(part)
        }
        text += "\n"
        entries(topic.entries)
    }
}

extension HelpPage {
    private mutating func heading(_ title: String) { text += "\n\(style(.bold, title))\n" }

    private mutating func paragraph(_ words: String) { wrap(words, indentation: 0, hanging: 0) }

    /// Names at the left, texts beside them at one column.
    private mutating func entries(_ entries: [(name: String, text: String)]) {
        let column = min(entries.map(\.name.displayWidth).max() ?? 0, 28) + 4
        for entry in entries {
            let lead = String(repeating: " ", count: max(column - 2 - entry.name.displayWidth, 2))
            wrap("  " + entry.name + lead + entry.text, indentation: 0, hanging: column)
        }
    }

    private mutating func wrap(_ words: String, indentation: Int, hanging: Int) {
        for line in lines(of: words, indentation: indentation, hanging: hanging) {
            text += line + "\n"
        }
    }

    /// Breaks at spaces; runs of spaces stay, so that columns do.
    private func lines(of words: String, indentation: Int, hanging: Int) -> [Substring] {
        var lines: [Substring] = []
        var line = String(repeating: " ", count: indentation)
        var used = indentation
        var isFresh = true
        for word in words.split(separator: " ", omittingEmptySubsequences: false) {
            let columns = String(word).displayWidth
            if !isFresh, used + 1 + columns > width, !word.isEmpty {
                lines.append(line.trimmedEnd)
                line = String(repeating: " ", count: hanging) + word
                used = hanging + columns
                continue
            }
            if !isFresh {
                line += " "
                used += 1
            }
            line += word
            used += columns
            isFresh = false
        }
        return lines + [line[...]]
    }
}

extension String {
    /// Without the spaces at its end.
    fileprivate var trimmedEnd: Substring {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text
    }
}
