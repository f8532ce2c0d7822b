import Glibc
import JSON
import Platform
import Testing

@Suite(.serialized, .timeLimit(.minutes(15))) struct `The commands in docs/from-datastore.md` {
    @Test func `do what the table says, from top to bottom`() throws {
        let commands = try Self.commands()
        #expect(commands.count > 40)
        let pair = try GraphQLPair(schema: Self.schema)
        for command in commands {
            if command.contains("satchel watch") {
                let watch = try pair.home.start("/bin/bash", ["-c", "exec \(command)"], in: "a")
                while try !watch.printed.contains("\"ready\""), kill(watch.pid, 0) == 0 {
                    _ = Poll.wait(reading: [], milliseconds: 20)
                }
                watch.signal(SIGTERM)
                let ended = try watch.wait()
                #expect(ended.code == 0, "\(command): \(ended)")
            } else {
                let run = try pair.home.shell(command, in: "a")
                #expect(run.code == 0, "\(command): \(run)")
            }
        }
        let post = try pair.json("b", "get Post p1 include comments,editors --remote")
        #expect(post["comments"]?.elements?.first?["content"] == "Loving Amplify!")
        #expect(post["editors"]?.elements?.first?["username"] == "nadia")
        #expect(post["rating"] == 7)
    }

    static let schema = Path.join(Path.parent(#filePath), "amplify-docs.graphql")

    /// What stands as code in the last column of the tables.
    private static func commands() throws -> [String] {
        let root = Path.parent(Path.parent(Path.parent(#filePath)))
        let text = String(
            decoding: try Files.read(Path.join(root, "docs/from-datastore.md")), as: UTF8.self)
        var commands: [String] = []
        for line in text.split(separator: "\n") where line.hasPrefix("|") && line.hasSuffix("` |") {
            let code = line.dropLast(3)
            guard let start = code.lastIndex(of: "`") else { continue }
            let words = String(code[code.index(after: start)...])
            guard words.contains("satchel ") else { continue }
            // A bar within a cell is written with a backslash before it.
            commands.append(words.split(separator: "\\|").joined(separator: "|"))
        }
        return commands
    }
}
