import Glibc
import JSON
import Platform
import Testing

@testable import satchel_backend_folder

@Suite(.timeLimit(.minutes(15))) struct `The log of a folder that has become long` {
    private let directory: TemporaryDirectory
    private let path: String
    private let folder: FolderProcess

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("remote")
        folder = try FolderProcess(path)
    }

    /// Creates `numbers` of records, each with an update that is stale when it comes again.
    private func fill(_ numbers: Range<Int>) throws {
        let results = try folder.push(numbers.flatMap { operations($0) })
        #expect(results.allSatisfy { $0["outcome"] == "ok" })
    }

    private func operations(_ number: Int) -> [JSONValue] {
        [
            FolderProcess.create("r\(number)", key: "c\(number)", ["n": 1]),
            FolderProcess.update("r\(number)", key: "u\(number)", base: 1, ["n": 2]),
        ]
    }

    private func shorten(keeping kept: Int64, above most: Int64) throws {
        let folder = try Folder.open(path, knownIdentity: nil)
        let lock = try folder.lock()
        try folder.recover()
        try folder.shortenLog(to: LogBound(kept: kept, most: most))
        _ = consume lock
    }

    private func runs() throws -> [String] {
        try Files.list(Path.join(path, ".satchel-folder")).filter { $0.hasPrefix("keys-") }.sorted()
    }

    /// How the operations of a record are answered when they come again, and one that is new.
    private func answers(_ number: Int) throws -> [JSONValue?] {
        let again = try FolderProcess(path)
        let other = FolderProcess.update("r\(number)", key: "x\(number)", base: 1, ["n": 3])
        return try again.push(operations(number) + [other]).map { $0["outcome"] }
    }

    @Test func `keeps its latest lines, and knows the keys of the others`() throws {
        try fill(0..<50)
        try shorten(keeping: 30, above: 100)
        #expect(try FolderLog(path).sequences == Array(1...100))
        try shorten(keeping: 30, above: 99)
        #expect(try FolderLog(path).sequences == Array(71...100))
        #expect(try FolderLog(path).lines.count == 31)
        for number in [0, 1, 20, 34, 35, 49] {
            #expect(try answers(number) == ["ok", "ok", "conflict"], "\(number)")
        }
        #expect(try folder.push(operations(0)).map { $0["outcome"] } == ["ok", "ok"])
        try fill(50..<51)
        #expect(try FolderLog(path).sequences == Array(71...102))
        #expect(try folder.pull("Post", limit: 1000).records.count == 51)
    }

    @Test func `is long enough for some cursors, and too short for older ones`() throws {
        let start = try folder.pull("Post").cursor ?? .null
        try fill(0..<10)
        let old = try folder.pull("Post").cursor ?? .null
        try fill(10..<40)
        let recent = try folder.pull("Post", limit: 1000).cursor ?? .null
        let half = try folder.ask("pull", ["model": "Post", "cursor": nil, "limit": 5])
        try fill(40..<45)
        try shorten(keeping: 30, above: 40)
        for process in [folder, try FolderProcess(path)] {
            for cursor in [start, old] {
                let refused = try process.ask("pull", ["model": "Post", "cursor": cursor])
                #expect(refused["data"]?["kind"] == "cursor_expired")
            }
            let delta = try process.pull("Post", from: recent, limit: 3)
            #expect(delta.order == (40..<45).map { "r\($0)" })
            #expect(try process.pull("Post", from: delta.cursor).records.isEmpty)
            let rest = try process.pull("Post", from: half["cursor"], limit: 1000)
            #expect(rest.records.count == 40)
        }
        try fill(45..<80)
        try shorten(keeping: 20, above: 40)
        for cursor in [recent, half["cursor"] ?? .null] {
            let refused = try folder.ask("pull", ["model": "Post", "cursor": cursor])
            #expect(refused["data"]?["kind"] == "cursor_expired")
        }
        #expect(try folder.pull("Post", limit: 1000).records.count == 80)
    }

    @Test func `tells its watchers what comes after the cut`() throws {
        try fill(0..<20)
        let watcher = try FolderProcess(path)
        #expect(try watcher.ask("subscribe", ["models": ["Post"]]) == [:])
        for round in 0..<3 {
            try shorten(keeping: 10, above: 10)
            _ = try folder.push([FolderProcess.create("new\(round)", ["n": 1])])
            let event = try watcher.line()
            #expect(event?["method"] == "event")
            #expect(event?["params"]?["id"] == .string("new\(round)"))
        }
    }

    /// What a crash leaves of a cut: keys written or not, the new log written or not.
    @Test(arguments: ["new-keys", "keys-1", "new-log"])
    func `is cut by the next one after a crash`(_ left: String) throws {
        try fill(0..<50)
        let log = try directory.text("remote/log.ndjson")
        if left != "new-keys" {
            try shorten(keeping: 30, above: 40)
            try directory.write("remote/log.ndjson", log)
        }
        if left != "keys-1" { try directory.write("remote/.satchel-folder/\(left)", "\"c1") }
        try shorten(keeping: 30, above: 40)
        for number in [0, 20, 34, 35, 49] {
            #expect(try answers(number) == ["ok", "ok", "conflict"])
        }
        #expect(try FolderLog(path).sequences == Array(71...100))
    }

    @Test func `puts small files of keys together`() throws {
        for round in 0..<16 {
            try fill(round * 10..<round * 10 + 10)
            try shorten(keeping: 5, above: 10)
        }
        #expect(try runs().count <= 5)
        for number in stride(from: 0, to: 160, by: 7) {
            #expect(try answers(number) == ["ok", "ok", "conflict"], "\(number)")
        }
    }

    @Test func `knows keys of any spelling`() throws {
        let keys = [
            "", "\"", "\\", "a\nb", "é", "e\u{301}", "\0", "a", "ab", "a ", "~", "\u{10FFFF}",
            String(repeating: "k", count: 3000), String(repeating: "k", count: 3001),
        ]
        for (index, key) in keys.enumerated() {
            _ = try folder.push([
                FolderProcess.create("r\(index)", key: "c\(index)", ["n": 1]),
                FolderProcess.update("r\(index)", key: key, base: 1, ["n": 2]),
            ])
        }
        try fill(100..<110)
        try shorten(keeping: 10, above: 11)
        for (index, key) in keys.enumerated() {
            let again = FolderProcess.update("r\(index)", key: key, base: 1, ["n": 2])
            let other = FolderProcess.update("r\(index)", key: key + "x", base: 1, ["n": 2])
            #expect(
                try folder.push([again, other]).map { $0["outcome"] } == ["ok", "conflict"],
                "\(key)")
        }
    }

    @Test(arguments: [
        #"{"cut":{"seq":-1,"bytes":5}}"#, #"{"cut":{"seq":1,"bytes":-9223372036854775808}}"#,
        #"{"cut":{"seq":9223372036854775807,"bytes":9223372036854775807}}"#, #"{"cut":{}}"#,
        #"{"cut":{"seq":9223372036854775807,"bytes":1152921504606846976}}"#,
    ]) func `survives a first line that somebody wrote by hand`(_ title: String) throws {
        try fill(0..<5)
        let log = try directory.text("remote/log.ndjson")
        let cursor = try folder.pull("Post").cursor ?? .null
        try directory.write("remote/log.ndjson", title + "\n" + log)
        let answer = try folder.ask("pull", ["model": "Post", "cursor": cursor])
        #expect(answer["data"]?["kind"] == "cursor_expired")
        #expect(try folder.pull("Post").records.count == 5)
        #expect(try folder.push(operations(7)).map { $0["outcome"] } == ["ok", "ok"])
    }

    @Test func `is cut by a push`() throws {
        var log: [UInt8] = []
        let middle = Array(#"","model":"Post","id":"r","kind":"create","version":1,"#.utf8)
        let end = Array(#""client":"test"}"#.utf8) + [10]
        for seq in 1...200_001 {
            log += Array("{\"seq\":\(seq),\"key\":\"k\(seq)".utf8) + middle + end
        }
        try Files.replace(directory.file("remote/log.ndjson"), with: log, durable: false)
        try fill(0..<1)
        let kept = try Files.read(directory.file("remote/log.ndjson"))
        #expect(kept.count { $0 == 10 } == 100_000 + 1 + 2)
        #expect(kept.starts(with: Array(#"{"cut":{"seq":100001,"#.utf8)))
        #expect(try !runs().isEmpty)
        // The record is there with another version, and these keys made it so.
        try directory.write("remote/Post/r7.json", #"{"version":5,"record":{"n":1}}"#)
        for key in ["k1", "k100001", "k100002", "k200001"] {
            let update = FolderProcess.update("r7", key: key, base: 1, ["n": 2])
            #expect(try folder.push([update]).first?["outcome"] == "ok")
        }
        let other = FolderProcess.update("r7", key: "k200004", base: 1, ["n": 2])
        #expect(try folder.push([other]).first?["outcome"] == "conflict")
    }
}
