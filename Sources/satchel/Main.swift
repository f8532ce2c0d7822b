internal import Glibc
internal import Platform
internal import Shell

/// Reads arguments and environment, builds the graph, and exits with the command's code.
@main
struct Main {
    static func main() {
        exit(
            Launch(environment: Environment.current())
                .run(CommandLine.unsafeArgv, count: Int(CommandLine.argc)))
    }
}
