import Glibc
import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Pulling from a folder` {
    private let directory: TemporaryDirectory
    private let folder: FolderProcess

    init() throws {
        directory = try TemporaryDirectory()
        folder = try FolderProcess(directory.file("remote"))
    }

    private func fill(_ count: Int) throws {
        _ = try folder.push(
            (0..<count).map { FolderProcess.create("r\(1000 + $0)", ["n": .int(Int64($0))]) })
    }

    @Test func `gives a snapshot in the order of ids, then what changed`() throws {
        try fill(25)
        _ = try folder.push([FolderProcess.delete("r1003", key: "d", base: 1)])
        let pulled = try folder.pull("Post", limit: 10)
        #expect(pulled.pages == 3)
        #expect(pulled.order == (0..<25).filter { $0 != 3 }.map { "r\(1000 + $0)" })
        _ = try folder.push([
            FolderProcess.update("r1001", key: "u1", base: 1, ["n": 7]),
            FolderProcess.update("r1001", key: "u2", base: 2, ["n": 8]),
            FolderProcess.delete("r1002", key: "d2", base: 1),
            [
                "key": "t", "model": "Tag", "id": "t", "kind": "create", "set": [:],
                "record": ["x": 1],
            ],
        ])
        let delta = try folder.pull("Post", from: pulled.cursor)
        #expect(
            delta.records == [
                "r1001": ["id": "r1001", "version": 3, "record": ["n": 8]],
                "r1002": ["id": "r1002", "version": 2, "deleted": true],
            ])
        #expect(try folder.pull("Post", from: delta.cursor).records.isEmpty)
        #expect(try folder.pull("Tag").records.count == 1)
        #expect(try folder.pull("Unknown").records.isEmpty)
    }

    @Test func `goes on at any cursor in another process`() throws {
        try fill(50)
        var seen: [String] = []
        var cursor: JSONValue = nil
        while true {
            let fresh = try FolderProcess(directory.file("remote"))
            let page = try fresh.ask("pull", ["model": "Post", "cursor": cursor, "limit": 7])
            seen += page["records"]?.elements?.compactMap { $0["id"]?.text } ?? []
            cursor = page["cursor"] ?? .null
            #expect(cursor.bytes().count < 4096)
            if page["more"] != true { break }
        }
        #expect(seen == (0..<50).map { "r\(1000 + $0)" })
    }

    @Test func `misses nothing that is written during the snapshot`() throws {
        try fill(60)
        let writer = try FolderProcess(directory.file("remote"))
        var round = 0
        let pulled = try folder.pull("Post", limit: 10) {
            round += 1
            guard round <= 5 else { return }
            _ = try writer.push([
                FolderProcess.create("a\(round)", ["new": .int(Int64(round))]),
                FolderProcess.create("z\(round)", ["new": .int(Int64(round))]),
                FolderProcess.update(
                    "r1000", key: "u\(round)", base: .int(Int64(round)), ["n": 100]),
                FolderProcess.delete("r105\(round)", key: "d\(round)", base: 1),
            ])
        }
        #expect(pulled.records.count == 60 + 10)
        #expect(pulled.records["r1000"]?["version"] == 6)
        for round in 1...5 {
            #expect(pulled.records["a\(round)"] != nil)
            #expect(pulled.records["z\(round)"] != nil)
            #expect(pulled.records["r105\(round)"]?["deleted"] == true)
        }
    }

    @Test func `puts broken files in the host's quarantine and goes on`() throws {
        try fill(3)
        let broken = [
            "half": #"{"version":1,"record":{"#, "empty": "", "list": "[]",
            "twice": #"{"version":1,"record":{"a":1,"a":2}}"#,
            "deep": "{\"version\":1,\"record\":\(String(repeating: "[", count: 600))"
                + "\(String(repeating: "]", count: 600))}",
        ]
        for (id, text) in broken { try directory.write("remote/Post/\(id).json", text) }
        try directory.write("remote/Post/notes.txt", "a person's notes")
        try directory.write("remote/Post/.hidden.json", "{}")
        try Files.makeDirectory(directory.file("remote/Post/directory.json"))
        let pulled = try folder.pull("Post", limit: 2)
        #expect(pulled.records.count == 3 + broken.count + 1)
        for (id, text) in broken { #expect(pulled.records[id]?["record"] == .string(text)) }
    }

    @Test(arguments: [
        #"{"record":{"a":1},"version":3}"#, #"{ "version" : 3 , "record" : { "a" : 1 } }"#,
        #"{"version":3,"record":{"a":1},"note":{"by":"hand"}}"#,
    ]) func `reads records written by hand`(_ text: String) throws {
        try directory.write("remote/Post/a.json", text)
        #expect(
            try folder.pull("Post").records == [
                "a": ["id": "a", "version": 3, "record": ["a": 1]]
            ])
    }

    @Test func `keeps every digit and every escape`() throws {
        let record = #"{"a":123456789012345678901234567890,"b":1.10,"c":"é\u00e9\n","d":{"e":[]}}"#
        try directory.write("remote/Post/a.json", "{\"version\":1,\"record\":\(record)}")
        #expect(
            try folder.pull("Post").records["a"]?["record"] == JSONValue.parse(record))
    }

    @Test func `refuses the cursor of another history`() throws {
        try fill(5)
        let cursor = try folder.pull("Post").cursor ?? .null
        let log = try directory.text("remote/log.ndjson")
        for other in ["", log.replacing("key-r1004", with: "key-r1xx4")] {
            try directory.write("remote/log.ndjson", other)
            let refused = try folder.ask("pull", ["model": "Post", "cursor": cursor])
            #expect(refused["data"]?["kind"] == "cursor_expired")
        }
        try directory.write("remote/log.ndjson", log)
        #expect(try folder.pull("Post", from: cursor).records.isEmpty)
        let marker = try directory.text("remote/satchel-folder.json")
        try Files.remove(directory.file("remote/satchel-folder.json"))
        let fresh = try FolderProcess(directory.file("remote"))
        #expect(try directory.text("remote/satchel-folder.json") != marker)
        let refused = try fresh.ask("pull", ["model": "Post", "cursor": cursor])
        #expect(refused["data"]?["kind"] == "cursor_expired")
    }

    @Test func `passes over what a crash left at the end of the log, and repairs it`() throws {
        try fill(2)
        let cursor = try folder.pull("Post").cursor
        let log = try directory.text("remote/log.ndjson")
        try Files.append(
            Array(#"{"seq":3,"key":"ha"#.utf8), to: directory.file("remote/log.ndjson"))
        #expect(try folder.pull("Post", from: cursor).records.isEmpty)
        _ = try folder.push([FolderProcess.create("new", ["n": 1])])
        #expect(
            try directory.text("remote/log.ndjson").hasPrefix(log + #"{"seq":3,"key":"key-new""#))
        #expect(try folder.pull("Post", from: cursor).order == ["new"])
    }

    @Test func `sends events of the models asked for`() throws {
        #expect(try folder.ask("subscribe", ["models": ["Post"]]) == [:])
        let writer = try FolderProcess(directory.file("remote"))
        _ = try writer.push([
            FolderProcess.create("a", ["n": 1]),
            ["key": "t", "model": "Tag", "id": "t", "kind": "create", "set": [:], "record": [:]],
            FolderProcess.delete("a", key: "d", base: 1),
        ])
        let first = try folder.line()
        #expect(first?["method"] == "event")
        #expect(
            first?["params"] == [
                "model": "Post", "id": "a", "version": 1, "origin_key": "key-a",
            ])
        #expect(try folder.line()?["params"]?["deleted"] == true)
    }
}
