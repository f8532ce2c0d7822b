package import Platform

/// A program to start: its path, its arguments, and all it may see of this process.
package struct Program: Sendable, Equatable {
    package var path: String
    package var arguments: [String]
    package var environment: [String: String]
    /// Where it runs; nil for the folder this process is in.
    package var directory: String?
    /// What the program has to be still when it is started; nil for any content.
    package var seal: FileSeal?

    package init(
        _ path: String, arguments: [String] = [], environment: [String: String],
        directory: String? = nil
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
    }
}
