import Platform

/// A directory that goes away with the test.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws { path = try Files.makeTemporaryDirectory(prefix: "satchel-platform") }

    deinit { try? Files.removeTree(path) }

    func file(_ name: String) -> String { Path.join(path, name) }
}
