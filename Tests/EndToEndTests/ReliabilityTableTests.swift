import Platform
import Testing

@Suite struct `The list of faults in docs/reliability.md` {
    private static let root = Path.normalise(Path.join(Path.parent(#filePath), "../.."))

    /// A test as the list names it: "`Suite`: `test`, Folder/File.swift".
    struct Citation {
        var suite: String
        var test: String
        var file: String

        init?(_ text: Substring) {
            let parts = text.split(separator: "`", omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0].allSatisfy(\.isWhitespace), parts[2] == ": ",
                parts[4].hasPrefix(", ")
            else { return nil }
            suite = String(parts[1])
            test = String(parts[3])
            file = String(parts[4].dropFirst(2).filter { !$0.isWhitespace })
        }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Files.read(Path.join(root, path)), as: UTF8.self)
    }

    /// The rows of its tables, without their heads.
    private static func rows() throws -> [Substring] {
        let text = try text("docs/reliability.md")
        let start = try #require(text.range(of: "## Faults that others reported\n"))
        let rest = text[start.upperBound...]
        let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
        return rest[..<end].split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| Reported ") && !$0.hasPrefix("| --- ")
        }
    }

    @Test func `names tests that are there`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 60)
        var files: [String: String] = [:]
        for row in rows {
            let cells = row.dropFirst(2).dropLast(2).split(separator: " | ")
            guard cells.count == 3 else {
                Issue.record("three cells: \(row)")
                continue
            }
            for part in cells[2].split(separator: "; ") {
                guard let cited = Citation(part) else {
                    Issue.record("a suite, a test and a file: \(part)")
                    continue
                }
                let source = try files[cited.file] ?? Self.text("Tests/\(cited.file)")
                files[cited.file] = source
                let suite = source.components(after: "struct `\(cited.suite)` {")
                let body = suite?.components(before: "\n@Suite")
                let isThere = body?.contains("func `\(cited.test)`(") ?? false
                #expect(isThere, "\(cited.file) has no `\(cited.suite)`: `\(cited.test)`")
            }
        }
    }
}

extension String {
    fileprivate func range(of word: String) -> Range<Index>? { self[...].range(of: word) }

    fileprivate func components(after mark: String) -> Substring? {
        range(of: mark).map { self[$0.upperBound...] }
    }
}

extension Substring {
    fileprivate func range(of word: String) -> Range<Index>? { firstRange(of: word) }

    fileprivate func components(before mark: String) -> Substring {
        range(of: mark).map { self[..<$0.lowerBound] } ?? self
    }
}
