import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `The hook after a sync` {
    let space: HookedWorkspace

    init() throws { space = try HookedWorkspace() }

    @Test func `is told what came and went, once`() throws {
        try space.hook("after_sync", "#!/bin/sh\ncat > told\necho run >> runs\n")
        try space.output("create Post id=p1 title=one")
        try space.output("sync")
        let told = try space.pair.home.read("a/told").split(separator: "\n").map {
            try JSONValue.parse(String($0))
        }
        #expect(told.first?["event"] == "after_sync")
        #expect(told.first?["context"] == "default")
        #expect(told.first?["pushed"] == 1)
        #expect(told.first?["changes"]?.integer == Int64(told.count - 1))
        #expect(told.dropFirst().contains { $0["id"] == "p1" && $0["origin"] == "push" })
        // Nothing changed: nothing is told.
        try space.output("sync")
        #expect(try space.pair.home.read("a/runs") == "run\n")
        try space.pair.output("b", "sync")
        try space.pair.output("b", "create Post id=p2 title=two")
        try space.pair.output("b", "sync")
        try space.output("sync")
        #expect(try space.pair.home.read("a/told").contains("\"pulled\":1"))
    }

    @Test func `fails with a warning alone`() throws {
        try space.hook("after_sync", "#!/bin/sh\necho oh no >&2\nexit 4\n")
        try space.output("create Post title=one")
        let synced = try space.run("sync")
        #expect(synced.code == 0, "\(synced)")
        #expect(synced.errors.contains("hooks.after_sync"), "\(synced)")
        #expect(synced.errors.contains("exit code 4: oh no"), "\(synced)")
        let delivered = try space.run("create Post title=two --deliver")
        #expect(delivered.code == 0 && delivered.errors.contains("exit code 4"), "\(delivered)")
    }

    @Test func `may write and sync, and is not told of that`() throws {
        try space.hook(
            "after_sync",
            "#!/bin/sh\necho run >> runs\nsatchel create Comment text=x\nsatchel sync\n")
        try space.output("create Post title=one")
        let synced = try space.run("sync")
        #expect(synced.code == 0, "\(synced)")
        #expect(try space.pair.home.read("a/runs") == "run\n")
        #expect(try space.output("queue -o id") == "")
    }
}
