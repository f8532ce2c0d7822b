import Glibc
import JSON
import Platform
import Testing

@Suite struct `Edits made offline` {
    @Test func `survive a kill and are delivered once each`() throws {
        let pair = try SharedFolder()
        let lines = (1...1_000).map { "create Post title='post \($0)' rating=\($0)" }
        let made = try pair.home.satchel(
            "--offline", in: "a", input: lines.joined(separator: "\n"))
        #expect(made.lines.count == 1_000, "\(made)")
        let watcher = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post -o ndjson"], in: "a")
        watcher.signal(SIGKILL)
        _ = try watcher.wait()
        #expect(try pair.json("a", "status")["queued"] == 1_000)
        try pair.output("a", "sync")
        let log = try pair.log()
        #expect(log.count == 1_000)
        #expect(Set(log.compactMap { $0["key"]?.text }).count == 1_000)
        #expect(try pair.json("a", "status")["queued"] == 0)
        try pair.output("b", "sync")
        #expect(try pair.output("a", "export") == (try pair.output("b", "export")))
    }

    @Test func `come again from the backend where the store was lost, and nothing goes there`()
        throws
    {
        let pair = try SharedFolder()
        for number in 1...3 { try pair.output("a", "create Post title=p\(number)") }
        try pair.output("a", "sync")
        let (log, export) = (try pair.log(), try pair.output("a", "export"))
        let removed = try pair.home.shell("rm .satchel/default.sqlite*", in: "a")
        #expect(removed.code == 0, "\(removed)")
        try pair.output("a", "sync")
        #expect(try pair.output("a", "export") == export)
        #expect(try pair.log() == log)
    }

    @Test func `are not acknowledged where the store was taken away beneath the writer`() throws {
        let pair = try SharedFolder()
        let run = try pair.home.shell(
            """
            mkfifo lines && : > out
            satchel < lines > out 2> err & exec 3> lines
            echo 'create Post title=before' >&3
            until [ -s out ]; do kill -0 $! || exit 99; done
            rm -r .satchel
            echo 'create Post title=after' >&3; exec 3>&-
            wait $!; code=$?; cat out; cat err >&2; exit $code
            """, in: "a")
        #expect(run.code == 8, "\(run)")
        #expect(run.lines.count == 1, "\(run)")
        #expect(run.errors.contains("was deleted or replaced while it was in use"), "\(run)")
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }

    @Test func `are whole or absent when the writer is killed`() throws {
        let pair = try SharedFolder()
        let lines = (1...200_000).map { "create Post title=p\($0)" }.joined(separator: "\n")
        let script = try pair.home.write("many.satchel", lines)
        for _ in 1...3 {
            let writer = try pair.home.start(
                "/bin/bash", ["-c", "exec satchel -f '\(script)'"], in: "a")
            while try writer.printed.isEmpty { _ = Poll.wait(reading: [], milliseconds: 5) }
            writer.signal(SIGKILL)
            let printed = try writer.wait().lines
            // What was acknowledged is there; a torn last line of output was never acknowledged.
            for id in printed.dropLast().suffix(20) where id.utf8.count == 36 {
                #expect(try pair.run("a", "get Post \(id) -o id").code == 0)
            }
        }
        let status = try pair.json("a", "status")
        #expect(status["queued"] == (try pair.json("a", "count Post"))["count"])
    }
}
