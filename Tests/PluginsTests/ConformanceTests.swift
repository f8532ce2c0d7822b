import JSON
import Platform
import Plugins
import Testing

@Suite(.timeLimit(.minutes(15))) struct `The conformance kit` {
    private let run: ConformanceRun

    init() throws { run = try ConformanceRun() }

    private func path(_ path: String) -> JSONObject { JSONObject([("path", .string(path))]) }

    private func expectNoFailure(_ verdicts: [ConformanceVerdict], skipped: [String]) {
        for verdict in verdicts where verdict.result == .failed { Issue.record("\(verdict.line)") }
        #expect(verdicts.filter { $0.result == .skipped }.map(\.check) == skipped)
    }

    @Test func `finds no fault with the folder backend`() throws {
        let folder = Path.join(Path.parent(try Files.executable()), "satchel-backend-folder")
        let verdicts = try run.verdicts(on: folder, .sync, config: path("remote"))
        expectNoFailure(verdicts, skipped: [])
        #expect(verdicts.count == 30)
    }

    @Test func `sees the rules of a folder`() throws {
        let folder = Path.join(Path.parent(try Files.executable()), "satchel-backend-folder")
        _ = try run.verdicts(on: folder, .read, config: path("remote"))
        try Files.replace(
            Path.join(run.directory, "remote/rules.json"),
            with: Array(#"{"Note":{"title":{"required":true}}}"#.utf8))
        let verdicts = try run.verdicts(on: folder, .write, config: path("remote"))
        expectNoFailure(verdicts, skipped: [])
    }

    @Test func `finds no fault with the Python template`() throws {
        let verdicts = try run.verdicts(
            on: try run.write(.python), .sync, config: path("remote.json"))
        expectNoFailure(
            verdicts,
            skipped: ["events tell of changes", "events are hints", "lost events are a gap"])
    }

    @Test func `finds no fault with the Swift template`() throws {
        let program = try run.write(.swift)
        let built = try CapturedProgram(program, environment: .current()).run(within: 120_000)
        try #require(built.code == 0, "\(String(decoding: built.errors, as: UTF8.self))")
        let verdicts = try run.verdicts(
            on: program, .sync, config: path("remote.json"))
        expectNoFailure(
            verdicts,
            skipped: [
                "ping is answered", "fetch answers every id", "events tell of changes",
                "events are hints", "lost events are a gap",
            ])
    }

    @Test func `finds no fault with the shell template`() throws {
        var lines = ""
        for number in 1...5 { lines += #"{"id":"\#(number)","title":"Note"}"# + "\n" }
        try Files.replace(Path.join(run.directory, "Note.ndjson"), with: Array(lines.utf8))
        let verdicts = try run.verdicts(
            on: try run.write(.sh), .read, config: path("."))
        expectNoFailure(
            verdicts,
            skipped: [
                "identity is the same after a restart", "records are as their model says",
                "fetch answers every id",
            ])
    }
}
