import JSON
import Shell
import Testing

@Suite struct `Reading satchel.json` {
    @Test func `takes everything it may say`() throws {
        let text = """
            // a comment
            {
              schema: "models.graphql",
              contexts: {
                default: { backend: "folder", config: { path: "../remote" }, sync: "auto" },
                blog: { backend: "graphql", secrets: ["token"], secret_command: "pass blog" },
              },
              models: {
                Post: {
                  filter: "rating >= 3", conflict: "manual",
                  fields: { views: { conflict: "counter" }, tags: { conflict: { command: "m" } } },
                },
              },
              hooks: {
                before_create: "./check-post", after_sync: { command: "./tell", timeout: 2.5 },
              },
            }
            """
        let config = try WorkspaceConfig(reading: Array(text.utf8), file: "satchel.json")
        #expect(config.schema == "models.graphql")
        #expect(config.contexts.map(\.name) == ["default", "blog"])
        #expect(config.contexts[0].config["path"] == "../remote")
        #expect(config.contexts[0].sync == .auto)
        #expect(config.contexts[1].secrets == ["token"])
        #expect(config.contexts[1].secretCommand == "pass blog")
        #expect(config.models[0].filter == "rating >= 3")
        #expect(config.models[0].conflict == .manual)
        #expect(
            config.models[0].fields.map(\.conflict) == [.counter, .command(ProgramConfig("m"))])
        #expect(
            config.hooks == [
                HookConfig(point: "before_create", program: ProgramConfig("./check-post")),
                HookConfig(
                    point: "after_sync", program: ProgramConfig("./tell", milliseconds: 2_500)),
            ])
    }

    struct Mistake: CustomTestStringConvertible {
        var text: String
        var message: String
        var hint: String?
        var testDescription: String { text }

        init(_ text: String, _ message: String, hint: String? = nil) {
            self.text = text
            self.message = message
            self.hint = hint
        }
    }

    static let mistakes = [
        Mistake("", "f: expected a JSON value, found nothing"),
        Mistake("{", "f: "),
        Mistake("[]", "f: the file is a list, not an object"),
        Mistake("{\n  shema: 'x' }", "f:2:3: there is no setting \"shema\"", hint: "\"schema\"?"),
        Mistake("{ schema: 1 }", "f:1:3: schema is a number, not a text"),
        Mistake("{ schema: '' }", "f:1:3: schema is empty"),
        Mistake("{ contexts: { default: {} } }", "f:1:15: contexts.default has no \"backend\""),
        Mistake(
            "{ contexts: {\n a: { bakend: 'x' } } }", "f:2:7: there is no setting \"bakend\"",
            hint: "did you mean \"backend\"?"),
        Mistake("{ contexts: { 'a/b': { backend: 'x' } } }", "contexts.a/b is no name"),
        Mistake("{ contexts: { '../x': { backend: 'x' } } }", "is no name"),
        Mistake(
            "{ contexts: { a: { backend: 'x', sync: 'atuo' } } }",
            "f:1:34: contexts.a.sync is one of auto, manual, not \"atuo\"",
            hint: "did you mean \"auto\"?"),
        Mistake(
            "{ contexts: { a: { backend: 'x', secrets: [1] } } }",
            "contexts.a.secrets is a number, not a text"),
        Mistake("{ models: { Post: { conflict: 'remote' } } }", "models.Post.conflict is one of"),
        Mistake("{ models: { Post: { conflict: { comand: 'x' } } } }", "no setting \"comand\""),
        Mistake("{ hooks: { before_creat: 'x' } }", "no setting", hint: "\"before_create\"?"),
        Mistake("{ hooks: { after_sync: { timeout: 1 } } }", "hooks.after_sync has no \"command\""),
        Mistake(
            "{ hooks: { after_sync: { command: 'x', timeout: 0 } } }",
            "hooks.after_sync.timeout is a number of seconds"),
    ]

    @Test(arguments: mistakes) func `names the place of a mistake`(_ mistake: Mistake) {
        let error = #expect(throws: ShellError.self) {
            try WorkspaceConfig(reading: Array(mistake.text.utf8), file: "f")
        }
        #expect(error?.exitCode == .failed)
        #expect(error?.message.contains(mistake.message) == true, "\(error?.message ?? "")")
        if let hint = mistake.hint {
            #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "no hint")")
        }
    }

    @Test func `takes the user's defaults as strictly`() throws {
        let text = "{ output: 'json', color: 'never', pager: '', sync: 'manual', history: false }"
        let config = try UserConfig(reading: Array(text.utf8), file: "f")
        #expect(config.output == .json && config.color == .never && config.pager == "")
        #expect(config.sync == .manual && !config.keepsHistory)
        #expect(throws: ShellError.self) {
            try UserConfig(reading: Array("{ pagr: 'less' }".utf8), file: "f")
        }
    }
}
