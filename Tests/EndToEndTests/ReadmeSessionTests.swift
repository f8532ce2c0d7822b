import Platform
import Testing

@Suite struct `The session in README.md` {
    private struct Step {
        var command: String
        var output = ""
    }

    @Test func `gives what it says`() throws {
        let steps = try Self.steps()
        #expect(steps.count >= 5)
        let home = try SatchelHome()
        // One shell for all, as a reader has; a byte no command prints tells the outputs apart.
        let script = steps.map(\.command).joined(separator: "\nprintf '\\036'\n")
        let run = try home.shell(script)
        #expect(run.code == 0, "\(run)")
        let outputs = run.output.split(separator: "\u{1e}", omittingEmptySubsequences: false)
        #expect(outputs.count == steps.count, "\(run)")
        for (step, output) in zip(steps, outputs) {
            #expect(output == step.output, "$ \(step.command)\n\(run.errors)")
        }
    }

    /// The commands of the first console block, each with what is printed below it.
    private static func steps() throws -> [Step] {
        let root = Path.parent(Path.parent(Path.parent(#filePath)))
        let text = String(decoding: try Files.read(Path.join(root, "README.md")), as: UTF8.self)
        var steps: [Step] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if !isInside {
                isInside = line == "```console"
            } else if line == "```" {
                break
            } else if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if !steps.isEmpty {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }
}
