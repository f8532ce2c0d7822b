internal import JSON
internal import Platform
internal import Plugins
internal import Records

extension Session {
    /// Runs the conformance kit on a plugin: a line a check, a transcript for each that failed.
    func testPlugin(
        _ command: [String], _ level: PluginRequest.Level, _ settings: [Pair]
    ) throws(ShellError) -> ExitCode {
        let teardown = try written { () throws(SystemError) in try Teardown() }
        var setting = PluginConnection.Setting(
            name: Path.name(command[0]), program: try program(of: command), masker: Masker(),
            teardown: teardown)
        setting.interrupt = interrupt
        setting.clock = clock
        var config = JSONObject()
        for pair in settings { config[pair.key] = .string(pair.value) }
        let level = ConformanceLevel(rawValue: level.rawValue) ?? .sync
        let ask = try secretQuestion()
        let kit = ConformanceKit(
            setting, level: level, config: config, expected: modelsOfWorkspace,
            onSilence: { [console] in console.note($0) }, askSecret: ask)
        // What is printed are sentences; only who asks for a format gets rows.
        let asksForRows = (options.format ?? self.settings.format).map { $0 != .table } ?? false
        let style = try listing().style
        var failure: ShellError?
        let verdicts: [ConformanceVerdict]
        waitsFor = .backend
        defer { waitsFor = .nothing }
        do throws(PluginError) {
            verdicts = try kit.run { verdict in
                guard !asksForRows, failure == nil else { return }
                do throws(ShellError) { try show(verdict, style) } catch { failure = error }
            }
        } catch {
            if error.kind == .interrupted { throw ShellError(error.asBackendError) }
            throw ShellError(.plugin, error.message, hint: error.hint ?? hint(error))
        }
        if let failure { throw failure }
        if asksForRows { try listing().write(verdicts.map(TestedCheck.init), to: output) }
        let failed = verdicts.count { $0.result == .failed }
        let skipped = verdicts.count { $0.result == .skipped }
        console.note(
            "\(verdicts.count - failed - skipped) ok, \(failed) failed, \(skipped) skipped")
        return failed > 0 ? .failed : .done
    }

    /// The models of the workspace; none where there is no workspace, or something is wrong with it,
    /// which is not what is tested.
    private var modelsOfWorkspace: Schema {
        do throws(ShellError) {
            guard let workspace = try workspaceIfAny() else { return Schema() }
            return try schemaIfAny(workspace)
        } catch {
            return Schema()
        }
    }

    /// Asks for a secret as `auth login` does, so that none has to stand among the arguments.
    ///
    /// Where nobody can be asked the plugin is tested without, and says itself what it misses.
    private func secretQuestion() throws(ShellError) -> (String, String) throws(PluginError)
        -> String?
    {
        let asker: SecretAsker
        do throws(ShellError) { asker = try SecretAsker(self) } catch {
            guard error.kind == .usage || error.kind == .needsLogin else { throw error }
            return { [console] (key, _) throws(PluginError) in
                console.note("\(Sanitizer.show(key)) is missing: \(error.message)")
                return nil
            }
        }
        return { [console] (key, label) throws(PluginError) in
            do throws(ShellError) {
                return try asker.secret(key, label, orKeep: nil).text
            } catch {
                if error.kind == .needsLogin {
                    console.note(error.message)
                    return nil
                }
                throw PluginError(.interrupted, error.message)
            }
        }
    }

    /// What the words name: a file, a program of PATH, or a backend of the search path.
    private func program(of command: [String]) throws(ShellError) -> Program {
        var variables = environment.variables
        variables["SATCHEL_PLUGIN"] = "1"
        let word = command[0]
        let path: String
        var seal: FileSeal?
        if word.utf8.contains(UInt8(ascii: "/")) {
            path = try written { () throws(SystemError) in
                Path.join(try Files.currentDirectory(), word)
            }
        } else if let found = environment.program(word) {
            path = found
        } else {
            let workspace = try workspaceIfAny()
            let locator = try locator(workspace)
            do throws(PluginError) {
                path = try locator.locate(word)
                // Found by its name it is what a sync would start, and so has to be what was trusted;
                // who names the file means that file, as it is.
                if let workspace, locator.isOwn(path) {
                    seal = try Trust(environment).inspect(path, in: workspace.root)
                }
            } catch {
                if error.kind == .untrusted {
                    throw ShellError(
                        .needsConsent, error.message,
                        hint: (error.hint.map { "\($0); " } ?? "")
                            + "or test the file as it is: satchel plugin test FILE")
                }
                throw ShellError(
                    .plugin, "there is no program and no backend \(word)",
                    hint: "a file is named with its folder, as in ./\(word)")
            }
        }
        var program = Program(
            path, arguments: Array(command.dropFirst()), environment: variables)
        program.seal = seal
        return program
    }

    private func hint(_ error: PluginError) -> String? {
        guard case .refused(let refusal) = error.kind else { return nil }
        if refusal.kind == .auth {
            return "secrets are asked for at a terminal, or read from a pipe, a line each"
        }
        return "what it needs is told with --set KEY=VALUE"
    }

    private func show(
        _ verdict: ConformanceVerdict, _ style: Style
    ) throws(ShellError) {
        let (word, look): (String, Style.Look) =
            switch verdict.result {
            case .ok: ("ok", .green)
            case .failed: ("FAILED", .red)
            case .skipped: ("skipped", .dim)
            }
        var text = style(look, word) + " " + verdict.check
        if let detail = verdict.detail { text += ": " + Sanitizer.show(detail) }
        for line in verdict.transcript { text += "\n    " + Sanitizer.show(line) }
        try written { () throws(SystemError) in
            try output.write(text + "\n")
            try output.flush()
        }
    }
}

/// A check and what came of it.
private struct TestedCheck: Listed {
    let verdict: ConformanceVerdict

    init(_ verdict: ConformanceVerdict) { self.verdict = verdict }

    static let keys = ["check", "level", "result", "detail"]
    static var columns: [Column] { Column.values("result", "check", "detail") }
    var values: [JSONValue] {
        let lines = (verdict.detail.map { [$0] } ?? []) + verdict.transcript
        return [
            .string(verdict.check), .string(verdict.level.rawValue),
            .string(verdict.result.rawValue),
            lines.isEmpty ? .null : .string(lines.joined(separator: "\n")),
        ]
    }
    var cells: [JSONValue] {
        [
            .string(verdict.result.rawValue), .string(verdict.check),
            verdict.detail.map(JSONValue.string) ?? .null,
        ]
    }
    var handle: JSONValue { .string(verdict.check) }
}
