import Glibc
import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Opening a folder` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func failure(_ path: String, knownIdentity: String? = nil) throws -> JSONValue {
        try FolderProcess(path, knownIdentity: knownIdentity).welcome
    }

    @Test func `makes it once, with one identity for all`() throws {
        let path = directory.file("remote")
        let first = try FolderProcess(path).welcome["identity"]?.text
        #expect(first?.hasPrefix("folder-") == true)
        #expect(try FolderProcess(path).welcome["identity"]?.text == first)
        #expect(try FolderProcess(path, knownIdentity: first).welcome["identity"]?.text == first)
    }

    @Test func `does not take a missing drive for a new folder`() throws {
        let path = directory.file("remote")
        let missing = try failure(directory.file("drive/remote"))
        #expect(missing["data"]?["kind"] == "retryable")
        #expect(missing["message"]?.text?.contains("it is not there") == true)
        #expect(try failure(path, knownIdentity: "folder-1")["data"]?["kind"] == "retryable")
        try Files.makeDirectory(path)
        #expect(try failure(path, knownIdentity: "folder-1")["data"]?["kind"] == "retryable")
        #expect(!Files.exists(Path.join(path, "satchel-folder.json")))
    }

    @Test func `says when the path is no directory or not given`() throws {
        try directory.write("file", "x")
        let file = try failure(directory.file("file"))
        #expect(file["data"]?["kind"] == "permanent")
        #expect(file["message"]?.text?.hasSuffix("it is not a directory") == true)
        #expect(try failure("")["data"]?["kind"] == "permanent")
    }

    @Test(arguments: ["", "{", "{}", #"{"format":2,"identity":"a","epoch":"b"}"#])
    func `refuses a marker it does not understand`(_ text: String) throws {
        try directory.write("remote/satchel-folder.json", text)
        let refused = try failure(directory.file("remote"))
        #expect(refused["data"]?["kind"] == "permanent")
        #expect(try directory.text("remote/satchel-folder.json") == text)
    }

    @Test func `notices a drive that is pulled out and put back in`() throws {
        let path = directory.file("remote")
        let folder = try FolderProcess(path)
        #expect(try folder.ask("ping") == [:])
        try Files.rename(path, to: directory.file("away"))
        #expect(try folder.ask("ping")["data"]?["kind"] == "retryable")
        #expect(!Files.exists(path))
        try Files.rename(directory.file("away"), to: path)
        #expect(try folder.ask("ping") == [:])
        try Files.rename(path, to: directory.file("away"))
        _ = try FolderProcess(path)
        #expect(try folder.ask("ping")["data"]?["kind"] == "permanent")
    }

    @Test func `asks for the path`() throws {
        let folder = try FolderProcess(directory.file("remote"))
        #expect(try folder.ask("configure", ["answers": [:]])["key"] == "path")
        #expect(
            try folder.ask("configure", ["answers": ["path": "x"]])
                == ["done": true, "config": ["path": "x"]])
    }
}
