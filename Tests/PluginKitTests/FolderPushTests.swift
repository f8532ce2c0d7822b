import Glibc
import JSON
import Platform
import Records
import Testing

@testable import satchel_backend_folder

@Suite(.timeLimit(.minutes(15))) struct `Pushing to a folder` {
    private let directory: TemporaryDirectory
    private let folder: FolderProcess

    init() throws {
        directory = try TemporaryDirectory()
        folder = try FolderProcess(directory.file("remote"))
    }

    @Test func `makes files a person can read, and a line of the log for each operation`() throws {
        let results = try folder.push([
            FolderProcess.create("FR", ["id": "FR", "name": "France"]),
            FolderProcess.update("FR", key: "k2", base: 1, ["name": "Frankreich"]),
        ])
        #expect(results.map { $0["outcome"] } == ["ok", "ok"])
        #expect(results.map { $0["version"] } == [1, 2])
        #expect(results[1]["record"] == ["id": "FR", "name": "Frankreich"])
        #expect(
            try directory.text("remote/Post/FR.json") == """
                {
                  "version": 2,
                  "record": {
                    "id": "FR",
                    "name": "Frankreich"
                  }
                }

                """)
        let one =
            #"{"seq":1,"key":"key-FR","model":"Post","id":"FR","kind":"create","#
            + #""version":1,"client":"test"}"#
        let two =
            #"{"seq":2,"key":"k2","model":"Post","id":"FR","kind":"update","#
            + #""version":2,"client":"test"}"#
        #expect(try directory.text("remote/log.ndjson") == "\(one)\n\(two)\n")
    }

    @Test func `answers what was applied before with the state as it is now`() throws {
        let create = FolderProcess.create("a", ["n": 1])
        let update = FolderProcess.update("a", key: "u", base: 1, ["n": 2])
        let delete = FolderProcess.delete("a", key: "d", base: 2)
        for _ in 1...2 {
            let again = try FolderProcess(directory.file("remote"))
            _ = try again.push([create, create])
            _ = try again.push([create, update, update])
        }
        #expect(try folder.push([create]).first?["record"] == ["n": 2])
        #expect(try folder.push([delete, delete]).map { $0["outcome"] } == ["ok", "ok"])
        let gone = try folder.push([create, update, delete])
        #expect(gone.map { $0["outcome"] } == ["ok", "ok", "ok"])
        #expect(gone.allSatisfy { $0["record"] == .null && $0["version"] == 3 })
        #expect(try directory.text("remote/log.ndjson").split(separator: "\n").count == 3)
    }

    @Test func `tells what it has when another came first`() throws {
        _ = try folder.push([FolderProcess.create("a", ["n": 1])])
        let results = try folder.push([
            FolderProcess.create("a", key: "other", ["n": 5]),
            FolderProcess.update("a", key: "u", base: 7, ["n": 2]),
            FolderProcess.update("missing", key: "m", base: 1, ["n": 2]),
            FolderProcess.delete("a", key: "d", base: nil),
            FolderProcess.delete("missing", key: "e", base: 4),
        ])
        #expect(
            results == [
                ["key": "other", "outcome": "conflict", "version": 1, "record": ["n": 1]],
                ["key": "u", "outcome": "conflict", "version": 1, "record": ["n": 1]],
                ["key": "m", "outcome": "conflict", "version": nil, "record": nil],
                ["key": "d", "outcome": "conflict", "version": 1, "record": ["n": 1]],
                ["key": "e", "outcome": "ok", "version": nil, "record": nil],
            ])
    }

    @Test func `keeps the fields it was not asked to change`() throws {
        try directory.write(
            "remote/Post/a.json", #"{"version":4,"record":{"n":1,"big":123456789012345678901}}"#)
        let results = try folder.push([FolderProcess.update("a", key: "u", base: 4, ["n": 2])])
        #expect(
            results.first?["record"] == ["n": 2, "big": .big("123456789012345678901")])
    }

    @Test func `counts on from no number that is the last one`() throws {
        let last = Int64.max
        try directory.write("remote/Post/a.json", "{\"version\":\(last),\"record\":{\"n\":1}}")
        let line = LogLine(
            seq: last, key: "k", model: "Post", id: RecordID("b"), kind: .create, version: last,
            client: "x")
        try Files.append(line.bytes, to: directory.file("remote/log.ndjson"))
        let results = try folder.push([
            FolderProcess.update("a", key: "u", base: .int(last), ["n": 2]),
            FolderProcess.create("c", ["n": 1]),
        ])
        #expect(results.map { $0["outcome"] } == ["rejected", "ok"])
        #expect(results.first?["code"] == "broken")
    }

    @Test func `follows the rules as they are at the moment`() throws {
        try directory.write("remote/rules.json", #"{"Post":{"title":{"max_length":3}}}"#)
        let create = FolderProcess.create("a", ["title": "long"])
        #expect(
            try folder.push([create]) == [
                [
                    "key": "key-a", "outcome": "rejected", "code": "rule", "field": "title",
                    "message": "title has a length of 4, at most 3 is allowed",
                ]
            ])
        try directory.write("remote/rules.json", #"{"Post":{"#)
        let broken = try folder.ask("push", ["ops": [create]])
        #expect(broken["data"]?["kind"] == "retryable")
        try Files.remove(directory.file("remote/rules.json"))
        #expect(try folder.push([create]).first?["outcome"] == "ok")
    }

    @Test func `keeps long, odd and similar ids apart`() throws {
        let ids = [
            "", ".", "..", "/etc", "a\0b", "é", "e\u{301}", "A", "a", "%", "x.json",
            String(repeating: "long/", count: 200), String(repeating: "long/", count: 200) + "x",
        ]
        let results = try folder.push(
            ids.enumerated().map { index, id in
                FolderProcess.create(id, key: "k\(index)", ["n": .int(Int64(index))])
            })
        #expect(results.allSatisfy { $0["outcome"] == "ok" })
        let pulled = try folder.pull("Post", limit: 3)
        #expect(pulled.items.count == ids.count)
        for (index, id) in ids.enumerated() {
            // A dictionary of texts would take both spellings of é for one.
            let item = pulled.items.first { $0["id"] == .string(id) }
            #expect(item?["record"] == ["n": .int(Int64(index))])
        }
        let fetched = try folder.ask(
            "fetch", ["model": "Post", "ids": .array(ids.map { .string($0) })])
        #expect(fetched["records"]?.elements?.map { $0["id"]?.text } == ids)
        #expect(fetched["records"]?.elements?.contains { $0["deleted"] == true } == false)
    }

    @Test func `answers large records in several pushes`() throws {
        let text = String(repeating: "x", count: 3 << 20)
        for index in 0..<4 {
            let create = FolderProcess.create("r\(index)", ["text": .string(text)])
            #expect(try folder.push([create]).first?["outcome"] == "ok")
        }
        let updates = (0..<4).map {
            FolderProcess.update("r\($0)", key: "u\($0)", base: 1, ["n": 1])
        }
        let first = try folder.push(updates)
        #expect(first.map { $0["outcome"] } == ["ok", "ok", "retry", "retry"])
        #expect(try folder.push(Array(updates[2...])).map { $0["outcome"] } == ["ok", "ok"])
        #expect(try folder.pull("Post").pages == 2)
    }

    @Test func `makes a model's directory again when it was removed`() throws {
        _ = try folder.push([FolderProcess.create("a", ["n": 1])])
        try Files.removeTree(directory.file("remote/Post"))
        let results = try folder.push([
            FolderProcess.update("a", key: "u", base: 1, ["n": 2]),
            FolderProcess.create("b", ["n": 1]),
        ])
        #expect(results.map { $0["outcome"] } == ["conflict", "ok"])
        #expect(Files.exists(directory.file("remote/Post/b.json")))
    }

    @Test func `refuses a model that is no name`() throws {
        let results = try folder.push([
            [
                "key": "k", "model": "../x", "id": "a", "kind": "create", "set": [:],
                "record": [:],
            ]
        ])
        #expect(results.first?["code"] == "model")
        #expect(try folder.ask("pull", ["model": "../x"])["data"]?["kind"] == "permanent")
    }

    @Test func `lets two processes write at once, one after the other`() throws {
        let other = try FolderProcess(directory.file("remote"))
        let rounds = 40
        let size = 10
        for round in 0..<rounds {
            for (name, process) in [("a", folder), ("b", other)] {
                let operations = (0..<size).map { index in
                    FolderProcess.create("\(name)-\(round)-\(index)", ["by": .string(name)])
                }
                try process.send("push", ["ops": .array(operations)])
            }
            for process in [folder, other] {
                #expect(try process.line()?["result"]?["results"]?.elements?.count == size)
            }
        }
        let log = try FolderLog(directory.file("remote"))
        #expect(log.sequences == Array(1...Int64(2 * rounds * size)))
        #expect(try folder.pull("Post").records.count == 2 * rounds * size)
    }
}

/// The log as a reader of the file sees it.
struct FolderLog {
    var lines: [JSONValue]

    init(_ folder: String) throws {
        lines = try Files.read(Path.join(folder, "log.ndjson")).split(separator: 10)
            .map { try JSONValue.parse($0) }
    }

    var sequences: [Int64] { lines.compactMap { $0["seq"]?.integer } }
    var keys: [String] { lines.compactMap { $0["key"]?.text } }
}
