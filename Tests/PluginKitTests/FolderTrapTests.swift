import Glibc
import JSON
import Platform
import Testing

/// What somebody else who may write to a folder can put into it, by mistake or not.
@Suite(.timeLimit(.minutes(15))) struct `A folder with traps in it` {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("remote")
        let folder = try FolderProcess(path)
        _ = try folder.push([FolderProcess.create("a", ["n": 1])])
        folder.kill()
    }

    private func place(_ name: String) throws -> String {
        let place = Path.join(path, name)
        try Files.remove(place)
        return place
    }

    @Test func `is read past a pipe, which nobody waits for`() throws {
        try #require(mkfifo(try place("Post/pipe.json"), 0o600) == 0)
        let folder = try FolderProcess(path)
        let pulled = try folder.pull("Post")
        #expect(pulled.records["a"]?["record"] == ["n": 1])
        #expect(pulled.records["pipe"]?["record"]?.text?.contains("it is a pipe") == true)
        let fetched = try folder.ask("fetch", ["model": "Post", "ids": ["pipe", "a"]])
        #expect(fetched["records"]?.elements?.count == 2)
        try Files.makeDirectory(directory.file("remote/Post/folder.json"))
        let pushed = try folder.push([
            FolderProcess.update("pipe", key: "u1", base: 1, ["n": 2]),
            FolderProcess.update("folder", key: "u2", base: 1, ["n": 2]),
            FolderProcess.create("b", ["n": 1]),
        ])
        #expect(pushed.map { $0["outcome"] } == ["rejected", "rejected", "ok"])
    }

    @Test(arguments: [
        "log.ndjson", "rules.json", ".satchel-folder/journal", ".satchel-folder/keys-1",
        ".satchel-folder/new-0",
    ]) func `answers where a pipe is in the place of its own files`(_ name: String) throws {
        try #require(mkfifo(try place(name), 0o600) == 0)
        let folder = try FolderProcess(path)
        let pulled = try folder.ask("pull", ["model": "Post", "cursor": nil, "limit": 10])
        #expect(pulled["records"] != nil || pulled["data"]?["kind"] == "retryable", "\(pulled)")
        let update = FolderProcess.update("a", key: "u", base: 7, ["n": 2])
        for operations in [[update], [FolderProcess.create("b", ["n": 1])]] {
            let pushed = try folder.ask("push", ["ops": .array(operations)])
            #expect(pushed["results"] != nil || pushed["data"]?["kind"] == "retryable", "\(pushed)")
        }
    }

    @Test(arguments: [
        "log.ndjson", ".satchel-folder/journal", ".satchel-folder/new-0", "Post/b.json",
    ]) func `is written to through no link of it`(_ name: String) throws {
        try directory.write("precious", "as it was\n")
        try #require(symlink(directory.file("precious"), try place(name)) == 0)
        let folder = try FolderProcess(path)
        _ = try folder.ask(
            "push",
            [
                "ops": [
                    FolderProcess.create("b", ["n": 1]),
                    FolderProcess.update("a", key: "u", base: 1, ["n": 2]),
                ]
            ])
        #expect(try directory.text("precious") == "as it was\n")
    }
}
