internal import Glibc
internal import Platform
internal import Shell

/// Reads arguments and environment, builds the graph, and exits with the command's code.
@main
struct Main {
    static func main() {
        let launch = Launch(
            environment: Environment.current(),
            arguments: Array(CommandLine.arguments.dropFirst()))
        exit(launch.run())
    }
}
