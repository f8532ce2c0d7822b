import Glibc
import JSON
import Platform
import Shell
import Testing

/// Runs a program with the standard streams of this process; nil when it cannot be started.
private func status(of arguments: [String]) -> Int32? {
    var process = pid_t()
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    guard posix_spawnp(&process, arguments[0], nil, nil, &words, environ) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return nil } }
    return status
}

@Suite struct `YAML read by another program` {
    /// Pieces that YAML is known to stumble over.
    private static let pieces = [
        "a", "word", "é", "日", "👍", " ", "  ", "\n", "\n\n", "\t", "\r", ":", ": ", "#", " #", "-",
        "- ", "?", "|", ">", "'", "\"", "\\", "{", "}", "[", "]", ",", "&", "*", "!", "%", "@", "`",
        "0", "1e3", "0x1", "1:20", "2026-01-02", "yes", "null", "~", "...", "---", "<<", "=", ".",
        "\u{0}", "\u{1b}", "\u{85}", "\u{a0}", "\u{2028}", "\u{feff}", "\u{fffe}", "\u{202e}",
        "\u{7f}",
        "+1", "_", "1_000", ".inf", "NaN", "0o7", "\u{10FFFF}",
    ]

    @Test(.enabled(if: status(of: ["python3", "-c", "import yaml"]) == 0))
    func `gives back every text`() throws {
        var random = SystemRandomNumberGenerator()
        var texts = Self.pieces
        for _ in 0..<3000 {
            texts.append(
                (0...Int.random(in: 0...5, using: &random)).map { _ in
                    Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
                }.joined())
        }
        let value = JSONValue.array(
            texts.map { text in
                [
                    "text": .string(text), "list": [.string(text), [.string(text)]],
                    "keyed": .object(JSONObject([(text, 1)])), "number": .double(1.5e30),
                ]
            })
        var yaml: [UInt8] = []
        YAMLWriter.append(value, to: &yaml)
        let stem = "/tmp/satchel-yaml-\(Machine.processID)"
        try Files.replace(stem + ".yaml", with: yaml, durable: false)
        try Files.replace(stem + ".json", with: value.bytes(), durable: false)
        defer { for end in [".yaml", ".json"] { unlink(stem + end) } }
        let script = """
            import json, sys, yaml
            left = yaml.load(open(sys.argv[1] + ".yaml", encoding="utf-8", newline=""),
                             Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            right = json.load(open(sys.argv[1] + ".json", encoding="utf-8"))
            for a, b in zip(left, right):
                if a != b: sys.exit(f"{a!r} is not {b!r}")
            sys.exit(len(left) != len(right))
            """
        #expect(status(of: ["python3", "-c", script, stem]) == 0)
    }
}
