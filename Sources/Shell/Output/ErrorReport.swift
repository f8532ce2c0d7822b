package import JSON

/// A failure as it is told: one line and a hint for people, one line of JSON for programs.
package struct ErrorReport: Sendable, Equatable {
    /// The word programs branch on, such as `not_found`.
    package var kind: String
    /// What failed, on which thing.
    package var message: String
    /// The command's name; nil when none was recognised.
    package var command: String?
    /// The file of a script and the line in it, counted from 1.
    package var place: Place?
    /// What to do next.
    package var hint: String?

    package struct Place: Sendable, Equatable {
        package var file: String
        package var line: Int

        package init(file: String, line: Int) {
            self.file = file
            self.line = line
        }
    }

    package init(
        kind: String, message: String, command: String? = nil, place: Place? = nil,
        hint: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.command = command
        self.place = place
        self.hint = hint
    }

    /// `{"error":{"kind","message","command","line","hint"}}`, null where there is nothing.
    package var json: JSONValue {
        [
            "error": [
                "kind": .string(kind), "message": .string(message),
                "command": command.map { .string($0) } ?? nil,
                "line": place.map { .int(Int64($0.line)) } ?? nil,
                "hint": hint.map { .string($0) } ?? nil,
            ]
        ]
    }

    /// Such as "notes.sat:7: no model Pots" and "  did you mean Post?" below it.
    package func text(_ style: Style = .plain) -> String {
        let start = place.map { "\(Sanitizer.show($0.file)):\($0.line):" } ?? "satchel:"
        var text = "\(style(.boldRed, start)) \(Sanitizer.show(message))\n"
        if let hint { text += style(.dim, "  \(Sanitizer.show(hint))") + "\n" }
        return text
    }
}
