internal import JSON
internal import Platform

/// The desktop's keyring, by way of libsecret's `secret-tool`.
struct Keyring: Sendable {
    private let program: String
    private let environment: Environment
    private let workspace: String
    private let context: String

    /// Nil where there is no `secret-tool`, or no session bus on which it could reach a keyring.
    init?(_ environment: Environment, workspace: String, context: String) {
        guard let bus = environment["DBUS_SESSION_BUS_ADDRESS"], !bus.isEmpty,
            let program = environment.program("secret-tool")
        else { return nil }
        self.program = program
        self.environment = environment
        self.workspace = workspace
        self.context = context
    }

    /// The secret of that key; nil where the keyring has none or stays locked.
    func value(of key: String) throws(ShellError) -> String? {
        guard let run = run(["lookup"] + attributes(key)), run.code == 0, !run.output.isEmpty
        else { return nil }
        guard let value = String(validating: run.output, as: UTF8.self) else {
            throw ShellError(.input, "the keyring's secret \(key) is no UTF-8 text")
        }
        return value
    }

    /// Keeps a secret; false where the keyring does not give it back.
    func keep(_ key: String, _ value: String) throws(ShellError) -> Bool {
        let label = "--label=Satchel: \(key) of \(context) in \(workspace)"
        guard let run = run(["store", label] + attributes(key), input: value), run.code == 0
        else { return false }
        return try self.value(of: key)?.sameBytes(as: value) ?? false
    }

    func forget(_ key: String) throws(ShellError) {
        _ = run(["clear"] + attributes(key))
    }

    private func attributes(_ key: String) -> [String] {
        ["application", "satchel", "workspace", workspace, "context", context, "key", key]
    }

    /// Nil where it cannot be run or does not answer.
    private func run(_ arguments: [String], input: String = "") -> CapturedRun? {
        do throws(SystemError) {
            var tool = CapturedProgram(program, arguments, environment: environment)
            tool.sparesDaemons = true
            return try tool.run(input: Array(input.utf8), within: 10_000)
        } catch {
            return nil
        }
    }
}
