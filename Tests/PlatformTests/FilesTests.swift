import Platform
import Testing

@Suite struct `Reading and replacing files` {
    @Test(arguments: [0, 1, 4095, 4096, 4097, 1_000_003])
    func `gives back the bytes that were put`(_ count: Int) throws {
        let directory = try TemporaryDirectory()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Files.replace(directory.file("data"), with: bytes)
        #expect(try Files.read(directory.file("data")) == bytes)
        #expect(try Files.list(directory.path) == ["data"])
        #expect(try Files.status(directory.file("data")).mode == 0o600)
    }

    @Test func `names the file in an error`() throws {
        let error = #expect(throws: SystemError.self) { try Files.read("/nowhere/notes.csv") }
        #expect(error?.message == "cannot read /nowhere/notes.csv: No such file or directory")
        #expect(error?.kind == .notFound)
    }

    @Test func `refuses a file over the limit`() throws {
        let directory = try TemporaryDirectory()
        try Files.replace(directory.file("data"), with: [1, 2, 3])
        let error = #expect(throws: SystemError.self) {
            try Files.read(directory.file("data"), limit: 2)
        }
        #expect(error?.kind == .tooLarge)
    }

    @Test func `reads files whose size the system does not say`() throws {
        #expect(try Files.read("/proc/self/status").count > 100)
        #expect(Machine.bootID.utf8.count == 36)
    }

    @Test func `makes, fills and removes directories`() throws {
        let directory = try TemporaryDirectory()
        try Files.makeDirectory(directory.file("a/b/c"))
        #expect(Files.isDirectory(directory.file("a/b/c")))
        try Files.append(Array("one\n".utf8), to: directory.file("log"))
        try Files.append(Array("two\n".utf8), to: directory.file("log"))
        #expect(try Files.read(directory.file("log")) == Array("one\ntwo\n".utf8))
        try Files.removeTree(directory.file("a"))
        try Files.remove(directory.file("a"))
        #expect(!Files.exists(directory.file("a")))
    }

    @Test func `locks out a second holder until the first lets go`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("lock")
        do {
            let lock = try FileLock.acquire(path, within: 10)
            #expect(try FileLock.attempt(path) == nil)
            let error = #expect(throws: SystemError.self) {
                _ = try FileLock.acquire(path, within: 5)
            }
            #expect(error?.kind == .timedOut)
            _ = consume lock
        }
        #expect(try FileLock.attempt(path) != nil)
    }
}

@Suite struct `Arithmetic on paths` {
    @Test(arguments: [
        ("/a/b/../c/./d//", "/a/c/d"), ("a/../../b", "../b"), (".", "."), ("/..", "/"),
        ("", "."), ("a/..", "."),
    ])
    func `normalises`(_ path: String, _ expected: String) {
        #expect(Path.normalise(path) == expected)
    }

    @Test(arguments: [
        ("/a/b", "/a", "b"), ("/a/b/", "/a", "b"), ("b", ".", "b"), ("/b", "/", "b"),
        ("a//b", "a", "b"), ("/", "/", "/"),
    ])
    func `splits parent and name`(_ path: String, _ parent: String, _ name: String) {
        #expect(Path.parent(path) == parent)
        #expect(Path.name(path) == name)
    }

    @Test func `joins`() {
        #expect(Path.join("/a", "b") == "/a/b")
        #expect(Path.join("/a/", "b") == "/a/b")
        #expect(Path.join("/a", "/b") == "/b")
    }
}

@Suite struct `Naming contents` {
    @Test func `knows the published SHA-256 of abc`() throws {
        #expect(
            try ContentHash.sha256(Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: [
        ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
    ])
    func `knows the published FNV-1a`(_ text: String, _ expected: String) {
        #expect(ContentHash.fast(text.utf8) == expected)
    }

    @Test func `draws different random bytes`() {
        #expect(RandomBytes.hexadecimal(count: 16) != RandomBytes.hexadecimal(count: 16))
        #expect(RandomBytes.make(count: 1000).count == 1000)
    }
}

@Suite struct `The environment` {
    @Test func `follows the base directory specification`() {
        let environment = Environment(variables: [
            "HOME": "/home/ann", "XDG_STATE_HOME": "/var/ann", "XDG_DATA_HOME": "relative",
        ])
        #expect(environment.configHome == "/home/ann/.config")
        #expect(environment.stateHome == "/var/ann")
        #expect(environment.dataHome == "/home/ann/.local/share")
        #expect(Environment.current()["PATH"] != nil)
    }
}
