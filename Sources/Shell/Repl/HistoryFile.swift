package import Platform

/// The file of typed commands that all sessions share.
///
/// A line `#` and seconds since 1970 goes before each command, so that a command may have several
/// lines.
package struct HistoryFile: Sendable {
    package let path: String
    private let clock: Clock
    /// A file above this many bytes is cut to half of them.
    private let limit: Int64

    package init(path: String, clock: Clock = .system, limit: Int64 = 4 << 20) {
        self.path = path
        self.clock = clock
        self.limit = limit
    }

    /// The user's history file.
    package static func standard(_ environment: Environment, clock: Clock = .system) -> HistoryFile
    {
        HistoryFile(path: Path.join(environment.stateHome, "satchel/history"), clock: clock)
    }

    /// The commands, oldest first; none when there is no file.
    package func commands() throws(SystemError) -> [String] {
        do throws(SystemError) {
            return Self.commands(in: try Files.read(path))
        } catch {
            if error.kind == .notFound { return [] }
            throw error
        }
    }

    /// Adds a command at the end.
    package func append(_ command: String) throws(SystemError) {
        try Files.makeDirectory(Path.parent(path))
        let lock = try FileLock.acquire("\(path).lock", within: 2000)
        try cut()
        let isNew = !Files.exists(path)
        let entry = "#\(clock.now() / 1000)\n\(command)\n"
        try Files.append(Array(entry.utf8), to: path, mode: 0o600)
        if isNew { try Files.setMode(path, 0o600) }
        _ = consume lock
    }

    private func cut() throws(SystemError) {
        guard Files.exists(path) else { return }
        let status = try Files.status(path)
        // Whoever widened the permissions did not know what the file holds.
        if status.mode != 0o600 { try Files.setMode(path, 0o600) }
        guard status.size > limit else { return }
        let bytes = try Files.read(path)
        let half = bytes.count - Int(limit / 2)
        guard let start = bytes[half...].indices.first(where: { Self.isMark(bytes, at: $0) })
        else { return }
        try Files.replace(path, with: Array(bytes[start...]), durable: false)
    }
}

extension HistoryFile {
    static func commands(in bytes: [UInt8]) -> [String] {
        var commands: [String] = []
        var current: [Substring] = []
        var isOpen = false
        func close() {
            if !current.isEmpty { commands.append(current.joined(separator: "\n")) }
            current = []
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isMark(line.utf8) {
                close()
                isOpen = true
            } else if isOpen {
                current.append(line)
            } else if !line.isEmpty {
                // Lines without a mark, as another program may have written them.
                commands.append(String(line))
            }
        }
        if current.last?.isEmpty == true { current.removeLast() }
        close()
        return commands
    }

    private static func isMark(_ line: some Collection<UInt8>) -> Bool {
        line.count > 1 && line.first == UInt8(ascii: "#")
            && line.dropFirst().allSatisfy(\.isASCIIDigit)
    }

    private static func isMark(_ bytes: [UInt8], at index: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "#"), index == 0 || bytes[index - 1] == 0x0A else {
            return false
        }
        return isMark(bytes[index...].prefix { $0 != 0x0A })
    }
}

/// Which commands are kept from the history.
package enum HistoryPolicy {
    /// False for a line with a leading space and for one that speaks of a secret, or of a setting
    /// of a backend: which of those are secret only the backend knows.
    ///
    /// A line that does not parse may hold a secret too, so names are looked for, not items.
    package static func keeps(_ command: String, secretNames: [String]) -> Bool {
        guard let first = command.utf8.first, first != 0x20, first != 0x09 else { return false }
        return !(secretNames + ["config.", "--set"]).contains { holds(command, word: $0) }
    }

    private static func holds(_ command: String, word: String) -> Bool {
        let text = Array(command.utf8)
        let word = Array(word.utf8)
        guard !word.isEmpty, text.count >= word.count else { return false }
        for start in 0...(text.count - word.count) {
            let end = start + word.count
            if text[start..<end].elementsEqual(word), start == 0 || !text[start - 1].isNamePart,
                end == text.count || !text[end].isNamePart || !text[end - 1].isNamePart
            {
                return true
            }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isNamePart: Bool { isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") }
}
