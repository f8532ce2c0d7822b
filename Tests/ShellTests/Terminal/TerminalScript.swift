import Glibc
import Platform
import Testing

/// Runs a scenario of a Python script that plays a person at a pseudo-terminal.
struct TerminalScript {
    let name: String

    /// Runs `scenario` in a home of its own.
    func run(_ scenario: String) throws {
        let home = try ScratchFolder()
        let script = Path.join(Path.parent(#filePath), name)
        let command = "python3 '\(script)' \(scenario) '\(Self.probe)' '\(home.path)' 2>&1"
        let stream = try #require(popen(command, "r"))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
            output += buffer[..<count]
        }
        let status = pclose(stream)
        #expect(status == 0, "\(String(decoding: output, as: UTF8.self))")
    }

    /// The stand-in for `satchel`, built beside the tests.
    private static var probe: String {
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            let probe = Path.join(Path.parent(argument), "ShellProbe")
            if Files.exists(probe) { return probe }
        }
        let root = Path.normalise(Path.join(Path.parent(#filePath), "../../.."))
        return Path.join(root, ".build/debug/ShellProbe")
    }
}
