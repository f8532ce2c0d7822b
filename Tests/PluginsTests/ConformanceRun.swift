import JSON
import Platform
import Plugins
import Testing

/// A plugin in a folder of its own, and what the kit says of it.
final class ConformanceRun {
    let directory: String
    private let teardown: Teardown
    var deadlines = Deadlines()

    init() throws {
        directory = try Files.makeTemporaryDirectory(prefix: "satchel-kit")
        teardown = try Teardown()
        // Long enough for a busy machine, short enough for a suite.
        deadlines.cancel = 1_500
        deadlines.closing = 10_000
        deadlines.terminating = 100
    }

    deinit {
        teardown.wait()
        try? Files.removeTree(directory)
    }

    /// Writes the program of a template, changed by `patches`, and gives its path.
    func write(
        _ template: PluginTemplate, _ patches: [(old: String, new: String)] = []
    ) throws -> String {
        var text = template.program(named: "mine")
        for (old, new) in patches {
            let parts = text.split(separator: old, omittingEmptySubsequences: false)
            try #require(parts.count == 2, "the template has this \(parts.count - 1) times: \(old)")
            text = parts.joined(separator: new)
        }
        let path = Path.join(directory, "satchel-backend-mine")
        try Files.replace(path, with: Array(text.utf8), mode: 0o700)
        return path
    }

    func verdicts(
        on program: String, _ level: ConformanceLevel, config: JSONObject = JSONObject(),
        masker: Masker = Masker(), onSilence: @escaping (String) -> Void = { _ in }
    ) throws -> [ConformanceVerdict] {
        let environment = Environment.current()
        var setting = PluginConnection.Setting(
            name: "mine",
            program: Program(
                program,
                environment: [
                    "PATH": "/usr/bin:/bin:" + (environment["PATH"] ?? ""),
                    "HOME": environment.home,
                ],
                directory: directory),
            masker: masker, teardown: teardown)
        setting.deadlines = deadlines
        return try ConformanceKit(setting, level: level, config: config, onSilence: onSilence)
            .run { _ in }
    }
}

extension ConformanceVerdict {
    /// The verdict as a person reads it.
    var line: String {
        ([result.rawValue, check, detail ?? ""] + transcript).joined(separator: "\n")
    }
}
