/// The source of satchel(1), from the same tables as `help`.
///
/// The language is mdoc: https://man.openbsd.org/mdoc.7
package enum ManualPage {
    package static func mdoc() -> String {
        var page = """
            .\\" Written by scripts/manual from the tables of help; edit those.
            .Dd $Mdocdate$
            .Dt SATCHEL 1
            .Os
            .Sh NAME
            .Nm satchel
            .Nd records of an API, at hand offline, delivered when the network allows
            .Sh SYNOPSIS
            .Nm
            .Nm
            .Ar COMMAND ...
            .Nm
            .Fl f Ar FILE
            .Sh DESCRIPTION
            Without arguments on a terminal it is a shell; elsewhere it reads commands from standard
            input. The same text works at the prompt, in a script and as arguments.
            .Pp
            Every read is answered from the store of the workspace. Every write is kept there and in a
            queue, and delivered when the network allows. What the backend refuses is rolled back in
            view and kept with its reason.

            """
        page += section("OPTIONS", of: .options)
        page += ".Sh COMMANDS\n"
        for group in HelpGroup.allCases {
            page += ".Ss \(group.rawValue.prefix(1).uppercased())\(group.rawValue.dropFirst())\n"
            page += ".Bl -tag -width Ds\n"
            for command in group.commands { page += entry(command) }
            page += ".El\n"
        }
        page += section("ITEMS", of: .items)
        page += section("FILTERS", of: .filters)
        page += section("OUTPUT", of: .output)
        page += section("SCRIPTS", of: .scripts)
        page += section("ENVIRONMENT AND FILES", of: .environment)
        page += section("EXIT STATUS", of: .exitCodes)
        page += ".Sh EXAMPLES\n"
        for command in CommandName.visible {
            for example in command.details.examples {
                page += ".Dl \(escaped(example.line))\n\(line(example.note)).\n.Pp\n"
            }
        }
        return page
    }

    private static func section(_ title: String, of topic: HelpTopic) -> String {
        var text = ".Sh \(title)\n"
        text += topic.paragraphs.map { "\(line($0))\n" }.joined(separator: ".Pp\n")
        guard !topic.entries.isEmpty else { return text }
        text += ".Bl -tag -width Ds\n"
        for entry in topic.entries { text += ".It Li \(quoted(entry.name))\n\(line(entry.text))\n" }
        return text + ".El\n"
    }

    private static func entry(_ command: CommandName) -> String {
        var text = command.usageForms.map { ".It Li \(quoted($0))\n" }.joined()
        for part in command.details.paragraphs { text += "\(line(part))\n" }
        let options = command.options.names
        if !options.isEmpty {
            text += ".Bl -tag -width Ds -compact\n"
            for option in options {
                text += ".It Li \(quoted(option.spelling))\n\(line(option.summary))\n"
            }
            text += ".El\n"
        }
        return text
    }

    /// A line of text that cannot be taken for a request.
    private static func line(_ text: String) -> String {
        let text = escaped(text)
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    /// One argument of a macro.
    private static func quoted(_ text: String) -> String {
        "\""
            + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(
                separator: "\\(dq") + "\""
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result
    }
}
