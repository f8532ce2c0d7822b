/// The commands in what was typed or pasted at once.
package struct CommandBlock: Sendable, Equatable {
    /// Whole commands, in their order; lines without a command are left out.
    package private(set) var commands: [[UInt8]] = []
    /// What is not complete yet: an open quote or a trailing backslash.
    package private(set) var open: [UInt8] = []

    /// - Parameter text: Lines, joined by LF.
    package init(_ text: [UInt8]) {
        var scanner = QuoteScanner()
        for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if scanner.state != .complete { open.append(0x0A) }
            open.append(contentsOf: line)
            let state = line.withUnsafeBytes { scanner.scan($0) }
            guard state == .complete else { continue }
            if Self.holdsCommand(open) { commands.append(open) }
            open = []
            scanner = QuoteScanner()
        }
    }

    package var isComplete: Bool { open.isEmpty }

    /// True when one of several commands may remove or overwrite what is there.
    package var needsConsent: Bool {
        commands.count > 1 && commands.contains(where: Self.mayDestroy)
    }

    private static func holdsCommand(_ text: [UInt8]) -> Bool {
        guard let first = text.first(where: { !$0.isSpace }) else { return false }
        return first != UInt8(ascii: "#")
    }

    private static func mayDestroy(_ command: [UInt8]) -> Bool {
        do throws(ShellError) {
            let invocation = try command.span.bytes.withUnsafeBytes { (bytes) throws(ShellError) in
                try Invocation.parse(line: bytes)
            }
            return invocation?.command?.mayDestroy ?? false
        } catch {
            // It will fail when its turn comes.
            return false
        }
    }
}
