// Measures parts of Satchel inside one process, for `scripts/bench`:
//
//     Benchmarks queue FOLDER COUNT          what one more mutation costs in a long queue
//     Benchmarks host PLUGIN REMOTE COUNT    what a plugin between costs
//
// Prints one JSON object: a number a name.
import JSON
import Platform

func main() throws {
    let arguments = CommandLine.arguments
    let figures: JSONObject
    switch arguments.count > 1 ? arguments[1] : "" {
    case "queue" where arguments.count == 4:
        figures = try QueueBenchmark(folder: arguments[2], count: Int(arguments[3]) ?? 0).run()
    case "host" where arguments.count == 5:
        figures = try HostBenchmark(
            program: arguments[2], remote: arguments[3], count: Int(arguments[4]) ?? 0
        ).run()
    default:
        throw SystemError(
            code: 22, message: "usage: Benchmarks queue FOLDER COUNT | host PLUGIN REMOTE COUNT")
    }
    let output = ByteOutput(1, name: "standard output")
    try output.write(JSONValue.object(figures).serialized() + "\n")
    try output.flush()
}

try main()
