import Platform
import Shell
import Testing

@Suite struct `Help` {
    @Test(arguments: CommandName.visible)
    func `of a command has usage, options and examples that parse`(_ command: CommandName) throws {
        let page = try HelpPage.text([command.rawValue])
        #expect(page.hasPrefix("\(command.rawValue): \(command.summary)\n"))
        #expect(!command.details.paragraphs.isEmpty)
        #expect((1...3).contains(command.details.examples.count))
        for option in command.options.names { #expect(page.contains("--\(option.rawValue)")) }
        for example in command.details.examples {
            let invocation = try Invocation.parse(line: example.line)
            #expect(invocation?.command?.name == command, "\(example.line)")
        }
        for form in command.usageForms { #expect(form.hasPrefix(command.rawValue)) }
    }

    @Test(arguments: [60, 80, 200])
    func `fits the terminal`(_ width: Int) throws {
        let topics =
            [[]] + CommandName.visible.map { [$0.rawValue] }
            + HelpTopic.allCases.map { [$0.rawValue] }
        for topic in topics {
            let page = try HelpPage.text(topic, width: width)
            for line in page.split(separator: "\n") {
                // What has no space cannot be broken.
                let isOneWord = line.split(separator: " ").count <= 2
                #expect(String(line).displayWidth <= min(width, 100) || isOneWord, "\(line)")
                #expect(line.last != " ", "\(line)")
            }
        }
    }

    @Test func `names every command and topic once`() throws {
        let page = try HelpPage.text([])
        let listed = HelpGroup.allCases.flatMap(\.commands)
        #expect(Set(listed) == Set(CommandName.visible))
        #expect(listed.count == CommandName.visible.count)
        for command in listed { #expect(page.contains("\n  \(command.rawValue) ")) }
        for topic in HelpTopic.allCases { #expect(page.contains("help \(topic.rawValue) ")) }
    }

    @Test func `looks like this`() throws {
        #expect(
            try HelpPage.text(["count"]) == """
                count: count records

                usage
                  count MODEL [where E]

                Prints how many records match.

                options
                  --where EXPR  only records that match

                examples
                  count Post
                      all of them
                  count Post where _state = pending
                      those not delivered yet

                """)
    }

    @Test func `says what there is no help on`() {
        let error = #expect(throws: ShellError.self) { try HelpPage.text(["lists"]) }
        #expect(error?.kind == .usage && error?.hint == "did you mean \"list\"?")
    }
}

@Suite struct `The manual` {
    private var path: String {
        Path.normalise(Path.join(Path.parent(#filePath), "../../../docs/satchel.1"))
    }

    @Test func `is what help says`() throws {
        if Environment.current()["SATCHEL_UPDATE"] != nil {
            try Files.replace(path, with: Array(ManualPage.mdoc().utf8), mode: 0o644)
        }
        let written = String(decoding: try Files.read(path), as: UTF8.self)
        #expect(written == ManualPage.mdoc(), "run scripts/manual")
    }
}
