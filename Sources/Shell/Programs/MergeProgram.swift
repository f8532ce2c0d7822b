internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Sync

/// Asks the programs of the merge policies.
struct MergeProgram: Sendable {
    private let runner: ProgramRunner
    /// By command line.
    private let programs: [String: ProgramConfig]
    /// The secret fields of each model.
    private let secrets: [String: [String]]

    init(_ workspace: Workspace, _ schema: Schema, _ environment: Environment) {
        runner = ProgramRunner(workspace, environment)
        var programs: [String: ProgramConfig] = [:]
        for model in workspace.config.models {
            for setting in [model.conflict].compactMap({ $0 }) + model.fields.map(\.conflict) {
                if case .command(let program) = setting { programs[program.command] = program }
            }
        }
        self.programs = programs
        secrets = Dictionary(
            schema.models.map { ($0.name, $0.fields.filter(\.isSecret).map(\.name)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Runs the program to its end; an interrupted one is asked again another time.
    func ask(_ command: String, _ input: JSONValue, _ interrupt: Interrupt) -> MergeAnswer {
        let masker = Masker()
        for name in secrets[input["model"]?.text ?? ""] ?? [] {
            for side in ["base", "local", "remote"] {
                if let text = input[side]?[name]?.text { masker.add(text) }
            }
        }
        let program = programs[command] ?? ProgramConfig(command)
        let bytes: [UInt8]
        do throws(ShellError) {
            bytes = try runner.run(
                program, as: "conflict", input: input.bytes() + [UInt8(ascii: "\n")],
                interrupt: interrupt, masker: masker)
        } catch {
            let reason = error.message + (error.hint.map { "; \($0)" } ?? "")
            switch error.kind {
            case .needsConsent, .interrupted: return .unasked(reason)
            default: return .failed(reason)
            }
        }
        do throws(JSONError) {
            if case .object(let record) = try JSONValue.parse(bytes) { return .record(record) }
            return .failed("\(command) answered no JSON object")
        } catch {
            return .failed("\(command) answered no JSON object: \(error.message)")
        }
    }
}
