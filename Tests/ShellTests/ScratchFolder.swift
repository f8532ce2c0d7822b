import Glibc
import Platform

/// A folder of a test's own, gone with the value.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        let base = Environment.current()["TMPDIR"] ?? "/tmp"
        path = Path.join(base, "satchel-test-\(RandomBytes.hexadecimal(count: 8))")
        try Files.makeDirectory(path)
    }

    deinit { try? Files.removeTree(path) }

    func file(_ name: String) -> String { Path.join(path, name) }

    /// Writes a file and gives its path.
    func write(_ name: String, _ text: String) throws -> String {
        let path = file(name)
        try Files.makeDirectory(Path.parent(path))
        try Files.replace(path, with: Array(text.utf8), durable: false)
        return path
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Files.read(file(name)), as: UTF8.self)
    }
}
