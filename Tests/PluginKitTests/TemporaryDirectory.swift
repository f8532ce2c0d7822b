import Platform
import Testing

/// A fresh directory that goes away with the object.
final class TemporaryDirectory {
    let path: String

    init() throws { path = try Files.makeTemporaryDirectory(prefix: "satchel-folder") }

    deinit {
        do { try Files.removeTree(path) } catch { Issue.record(error) }
    }

    func file(_ name: String) -> String { Path.join(path, name) }

    func write(_ name: String, _ text: String) throws {
        try Files.makeDirectory(Path.parent(file(name)))
        try Files.replace(file(name), with: Array(text.utf8), durable: false)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Files.read(file(name)), as: UTF8.self)
    }
}
