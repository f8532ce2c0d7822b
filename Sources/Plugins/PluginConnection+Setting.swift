package import Platform

extension PluginConnection {
    /// What all connections to one plugin have in common.
    package struct Setting: Sendable {
        /// The name people know it by: "folder".
        package var name: String
        package var program: Program
        package var deadlines = Deadlines()
        /// Raised to give up waiting.
        package var interrupt: Interrupt?
        package var masker: Masker
        package var teardown: Teardown
        package var log: @Sendable (PluginLog) -> Void
        package var clock = Clock.system
        /// Sees each line as it is written and as it comes, on the thread that does so.
        var wire: (@Sendable (WireLine) -> Void)?

        package init(
            name: String, program: Program, masker: Masker, teardown: Teardown,
            log: @escaping @Sendable (PluginLog) -> Void = { _ in }
        ) {
            self.name = name
            self.program = program
            self.masker = masker
            self.teardown = teardown
            self.log = log
        }
    }
}
