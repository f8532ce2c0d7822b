internal import Platform
internal import Plugins

/// A command line of `satchel.json`, taken apart.
///
/// No shell reads it: quotes group words, and that is all.
struct WorkspaceCommand: Sendable, Equatable {
    /// The program, absolute.
    let program: String
    let arguments: [String]

    /// Takes a command line apart.
    ///
    /// A program with a slash in its name is looked for from the workspace, any other in PATH, never
    /// in the current folder.
    ///
    /// - Throws: Kind `.input` for a line without a program, `.notFound` for one that is nowhere.
    init(_ line: String, root: String, environment: Environment) throws(ShellError) {
        var words = try LineWords.words(of: line).map(\.text)
        guard let name = words.first, !name.isEmpty else {
            throw ShellError(.input, "\"\(line)\" names no program")
        }
        words.removeFirst()
        arguments = words
        if name.utf8.contains(UInt8(ascii: "/")) {
            program = Path.normalise(Path.join(root, name))
        } else if let found = environment.program(name) {
            program = found
        } else {
            throw ShellError(
                .notFound, "there is no program \(name) in PATH",
                hint: "one of the workspace is written ./\(name)")
        }
        guard Files.exists(program) else {
            throw ShellError(.notFound, "there is no program \(program)")
        }
        guard Files.isExecutable(program) else {
            throw ShellError(
                .failed, "\(program) is not executable", hint: "chmod +x \(program)")
        }
    }

    /// The files of the workspace that a command line names, absolute: what it runs of theirs.
    ///
    /// The words as they are started, and coarser pieces, so that lines for a shell and values of
    /// options can be looked at as well.
    static func files(in line: String, root: String) -> [String] {
        let separators = Set(" \t\n;|&<>()'\"`$=".unicodeScalars)
        var pieces = line.unicodeScalars.split(whereSeparator: separators.contains)
            .map { String(String.UnicodeScalarView($0)) }
        // A line with a quote that is never closed is refused where it would be started.
        do throws(ShellError) { pieces += try LineWords.words(of: line).map(\.text) } catch {}
        var files: [String] = []
        for piece in pieces {
            let path = Path.normalise(Path.join(root, piece))
            guard ProgramFile.place(of: path, in: root) != nil, Files.exists(path),
                !Files.isDirectory(path), !files.contains(path)
            else { continue }
            files.append(path)
        }
        return files
    }
}
