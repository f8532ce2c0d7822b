import JSON
import Platform
import Plugins
import Testing

@Suite(.timeLimit(.minutes(15))) struct `The guide for authors of backends` {
    private let run: ConformanceRun
    private let lines: [String]

    init() throws {
        run = try ConformanceRun()
        let path = Path.normalise(Path.join(Path.parent(#filePath), "../../plugins/README.md"))
        lines = String(decoding: try Files.read(path), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `shows a session as it is`() throws {
        let start = try #require(lines.firstIndex(of: "```session"))
        let session = lines[(start + 1)...].prefix { $0 != "```" }
        let typed = session.filter { $0.hasPrefix("> ") }.map { $0.dropFirst(2) + "\n" }
        let shown = session.filter { $0.hasPrefix("< ") }.map { String($0.dropFirst(2)) }
        #expect(typed.count > 5 && typed.count + shown.count == session.count)
        var environment = Environment.current()
        environment.variables["SATCHEL_PLUGIN"] = "1"
        var program = CapturedProgram(try run.write(.python), environment: environment)
        program.directory = run.directory
        let result = try program.run(input: Array(typed.joined().utf8), within: 30_000)
        let errors = String(decoding: result.errors, as: UTF8.self)
        #expect(result.code == 0 && errors == "", "\(errors)")
        let answers = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
        #expect(answers.count == shown.count)
        for (answer, shown) in zip(answers, shown) {
            let (answer, shown) = (try JSONValue.parse(String(answer)), try JSONValue.parse(shown))
            #expect(Self.agree(answer, shown), "\(answer.serialized())")
        }
    }

    @Test func `shows a line for every request, each of them JSON`() throws {
        var methods: Set<String> = []
        for line in lines where line.hasPrefix("{") {
            let message = try JSONValue.parse(line)
            if message["id"] != nil, let method = message["method"]?.text { methods.insert(method) }
        }
        #expect(methods == Set(PluginMethod.allCases.map(\.rawValue)))
    }

    /// `…` stands for any text.
    private static func agree(_ answer: JSONValue, _ shown: JSONValue) -> Bool {
        switch (answer, shown) {
        case (.string, .string("…")): true
        case (.array(let some), .array(let others)):
            some.count == others.count && zip(some, others).allSatisfy(agree)
        case (.object(let some), .object(let others)):
            some.count == others.count
                && some.pairs.allSatisfy { key, value in
                    others[key].map { agree(value, $0) } ?? false
                }
        default: answer == shown
        }
    }
}
