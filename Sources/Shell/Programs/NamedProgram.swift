internal import Platform

/// A program that `satchel.json` names, which is started without a shell.
struct NamedProgram: Sendable {
    /// Where it stands, such as `hooks.before_create`.
    let setting: String
    /// Its command line.
    let line: String

    /// Why it could not be started; nil where it is there.
    func mistake(in workspace: Workspace, _ environment: Environment) -> ShellError? {
        do throws(ShellError) {
            _ = try WorkspaceCommand(line, root: workspace.root, environment: environment)
            return nil
        } catch {
            return error
        }
    }
}

extension WorkspaceConfig {
    /// Hooks and the programs of merge policies.
    var programs: [NamedProgram] {
        var programs = hooks.map { hook in
            NamedProgram(setting: "hooks.\(hook.point)", line: hook.program.command)
        }
        for model in models {
            if case .command(let program)? = model.conflict {
                programs.append(
                    NamedProgram(
                        setting: "models.\(model.name).conflict", line: program.command))
            }
            for field in model.fields {
                guard case .command(let program) = field.conflict else { continue }
                programs.append(
                    NamedProgram(
                        setting: "models.\(model.name).fields.\(field.name).conflict",
                        line: program.command))
            }
        }
        return programs
    }
}
