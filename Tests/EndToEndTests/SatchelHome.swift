import Glibc
import JSON
import Platform
import Testing

/// A home of a test's own in which the built programs run; gone with the value.
///
/// Commands start in `path`, which is also HOME; nothing of the machine's own settings is seen.
final class SatchelHome: Sendable {
    let path: String

    init() throws {
        let base = Environment.current()["TMPDIR"] ?? "/tmp"
        path = try Files.realPath(base) + "/satchel-run-\(RandomBytes.hexadecimal(count: 8))"
        try Files.makeDirectory(path, mode: 0o700)
        try Files.makeDirectory(file(".run"), mode: 0o700)
    }

    deinit { try? Files.removeTree(path) }

    /// The folder of the built programs.
    static func programs() throws -> String { Path.parent(try Files.executable()) }

    func file(_ name: String) -> String { Path.join(path, name) }

    /// Writes a file and gives its path.
    @discardableResult
    func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws -> String {
        let path = file(name)
        try Files.makeDirectory(Path.parent(path))
        try Files.replace(path, with: Array(text.utf8), mode: mode, durable: false)
        return path
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Files.read(file(name)), as: UTF8.self)
    }

    /// What the programs see of an environment, changed by `changes`; nil takes a variable away.
    func environment(_ changes: [String: String?] = [:]) throws -> [String: String] {
        var variables = [
            "HOME": path, "TMPDIR": path, "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "xterm",
            "PATH": "\(try Self.programs()):/usr/local/bin:/usr/bin:/bin",
        ]
        for (name, value) in changes { variables[name] = value }
        return variables
    }

    /// Runs `satchel` to its end.
    ///
    /// It starts in `folder`, relative to `path`; `input` is its whole standard input, empty for
    /// nil; `variables` change the environment.
    func satchel(
        _ arguments: String..., in folder: String = ".", input: String? = nil,
        with variables: [String: String?] = [:]
    ) throws -> Ended {
        try run(arguments, in: folder, input: input, with: variables)
    }

    /// As `satchel`, for arguments in a list.
    func run(
        _ arguments: [String], in folder: String = ".", input: String? = nil,
        with variables: [String: String?] = [:]
    ) throws -> Ended {
        let program = Path.join(try Self.programs(), "satchel")
        return try start(program, arguments, in: folder, input: input, with: variables).wait()
    }

    /// Runs a command line of the system's shell, in which `satchel` is found.
    func shell(_ line: String, in folder: String = ".", with variables: [String: String?] = [:])
        throws -> Ended
    {
        try start("/bin/bash", ["-c", line], in: folder, with: variables).wait()
    }

    /// Starts a program and leaves it running.
    func start(
        _ program: String, _ arguments: [String], in folder: String = ".", input: String? = nil,
        with variables: [String: String?] = [:]
    ) throws -> RunningProgram {
        let number = RandomBytes.hexadecimal(count: 6)
        var given = "/dev/null"
        if let input { given = try write(".run/\(number).in", input) }
        return try RunningProgram(
            program, arguments, environment: try environment(variables),
            directory: Path.normalise(file(folder)), input: given,
            output: file(".run/\(number).out"), errors: file(".run/\(number).err"))
    }
}

/// What a program left behind.
struct Ended: CustomStringConvertible {
    /// The exit code; 128 and the signal for one that a signal ended.
    let code: Int32
    let output: String
    let errors: String

    var description: String { "exit \(code)\n--- stdout\n\(output)--- stderr\n\(errors)---" }

    /// The output as one JSON value.
    func json() throws -> JSONValue {
        try #require(code == 0, "\(self)")
        return try JSONValue.parse(output)
    }

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
}
