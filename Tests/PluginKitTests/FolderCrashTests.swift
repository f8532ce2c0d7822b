import Glibc
import JSON
import Platform
import Records
import Testing

@testable import satchel_backend_folder

@Suite(.timeLimit(.minutes(15))) struct `A folder whose writer is killed` {
    /// Small steps of a generator that a seed repeats.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test func `has each operation whole or not at all`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("remote")
        let seed = RandomBytes.word()
        var dice = Dice(state: seed)
        for round in 0..<50 {
            let victim = try FolderProcess(path)
            let operations =
                (0..<60).map { index in
                    FolderProcess.create("r\(round)-\(index)", ["n": .int(Int64(index))])
                }
                + (0..<20).map { index in
                    FolderProcess.update(
                        "r\(round)-\(index)", key: "u\(round)-\(index)", base: 1, ["n": -1])
                }
            try victim.send("push", ["ops": .array(operations)])
            usleep(UInt32.random(in: 0..<12_000, using: &dice))
            victim.kill()

            let next = try FolderProcess(path)
            let results = try next.push(operations)
            #expect(results.allSatisfy { $0["outcome"] == "ok" }, "seed \(seed), round \(round)")
            let log = try FolderLog(path)
            #expect(log.sequences == Array(1...Int64(80 * (round + 1))), "seed \(seed)")
            #expect(Set(log.keys).count == log.keys.count, "seed \(seed)")
        }
        let pulled = try FolderProcess(path).pull("Post", limit: 1000)
        #expect(pulled.records.count == 50 * 60)
        for (id, item) in pulled.records {
            let index = try #require(id.split(separator: "-").last.flatMap { Int64($0) })
            #expect(item["version"] == (index < 20 ? 2 : 1))
            #expect(item["record"] == ["n": .int(index < 20 ? -1 : index)])
        }
    }

    /// What a crash can leave of a push of two records: the journal, and part of what follows.
    @Test(arguments: 0...5) func `is finished by whoever comes next`(_ step: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("remote")
        let before = try FolderProcess(path)
        _ = try before.push([FolderProcess.create("a", ["n": 1])])
        let cursor = try before.pull("Post").cursor
        let lines = [
            LogLine(
                seq: 2, key: "k2", model: "Post", id: RecordID("a"), kind: .update, version: 2,
                client: "x"),
            LogLine(
                seq: 3, key: "k3", model: "Post", id: RecordID("b"), kind: .create, version: 1,
                client: "x"),
        ].map(\.bytes)
        let contents = [2, 3].map { value in
            StoredRecord(version: value == 2 ? 2 : 1, record: JSONObject([("n", .int(value))]))
                .content()
        }
        let journal = Journal(
            entries: [
                .init(model: "Post", file: "a.json", version: 2, content: contents[0]),
                .init(model: "Post", file: "b.json", version: 1, content: contents[1]),
            ], lines: lines[0] + lines[1], firstSeq: 2
        ).encoded
        func put(_ bytes: [UInt8], _ name: String) throws {
            try Files.replace(Path.join(path, name), with: bytes)
        }
        try put(step == 0 ? journal.dropLast(3) : journal, ".satchel-folder/journal")
        if step >= 2 { try put(contents[0], "Post/a.json") }
        if step >= 3 { try put(contents[1], "Post/b.json") }
        if step >= 4 {
            let half = step == 4 ? Array(lines[0].prefix(30)) : lines[0]
            try Files.append(half, to: Path.join(path, "log.ndjson"))
        }
        // A reader is enough: nobody may ever write again.
        let pulled = try FolderProcess(path).pull("Post", from: cursor)
        let log = try FolderLog(path)
        #expect(log.sequences == (step == 0 ? [1] : [1, 2, 3]))
        #expect(pulled.order == (step == 0 ? [] : ["a", "b"]))
        if step > 0 {
            #expect(pulled.records["a"]?["record"] == ["n": 2])
            #expect(pulled.records["b"]?["record"] == ["n": 3])
        }
    }

    @Test func `is not written over with an older state`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("remote")
        _ = try FolderProcess(path).push([FolderProcess.create("a", ["n": 1])])
        let old = Journal(
            entries: [
                .init(
                    model: "Post", file: "a.json", version: 1,
                    content: Array(#"{"version":1,"record":{"n":0}}"#.utf8))
            ], lines: Array("\n".utf8), firstSeq: 1)
        try Files.replace(Path.join(path, ".satchel-folder/journal"), with: old.encoded)
        #expect(try FolderProcess(path).pull("Post").records["a"]?["record"] == ["n": 1])
    }

    /// A journal that somebody wrote who may write to the folder.
    private static let forged =
        [
            Journal.Entry(model: "..", file: "evil.json", version: 9, content: [1]),
            Journal.Entry(model: "Post", file: ".bashrc", version: 9, content: [1]),
            Journal.Entry(model: ".satchel-folder", file: "evil.json", version: 9, content: [1]),
            Journal.Entry(model: "Post", file: "evil", version: 9, content: [1]),
        ].map { Journal(entries: [$0], lines: Array("\n".utf8), firstSeq: 1) }
        + [Int64.min, -1, .max].map { Journal(entries: [], lines: [], firstSeq: $0) }

    @Test(arguments: forged.indices) func `leads nobody out of it`(_ index: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("remote")
        _ = try FolderProcess(path).push([FolderProcess.create("a", ["n": 1])])
        try Files.replace(
            Path.join(path, ".satchel-folder/journal"), with: Self.forged[index].encoded)
        let next = try FolderProcess(path)
        #expect(try next.pull("Post").order == ["a"])
        #expect(try next.push([FolderProcess.create("b", ["n": 1])]).first?["outcome"] == "ok")
        for place in ["evil.json", "remote/Post/.bashrc", "remote/.satchel-folder/evil.json"] {
            #expect(!Files.exists(directory.file(place)))
        }
    }
}
