internal import Outbox
internal import Storage

// Commands that land one by one; each leaves this file as it does.
extension Session {
    private func unfinished() -> ShellError { ShellError(.failed, "this command is not here yet") }
    func config(_ request: ConfigRequest) throws(ShellError) { throw unfinished() }
    func context(_ request: ContextRequest) throws(ShellError) { throw unfinished() }
    func auth(_ request: AuthRequest) throws(ShellError) -> ExitCode { throw unfinished() }
    func plugin(_ request: PluginRequest) throws(ShellError) -> ExitCode { throw unfinished() }
    func trust() throws(ShellError) { throw unfinished() }
    func doctor() throws(ShellError) -> ExitCode { throw unfinished() }
    func version() throws(ShellError) { throw unfinished() }
    func history(_ count: Int?) throws(ShellError) { throw unfinished() }
    func set(_ request: SetRequest?) throws(ShellError) { throw unfinished() }
    func completion(_ shell: CompletionShell) throws(ShellError) { throw unfinished() }
}
