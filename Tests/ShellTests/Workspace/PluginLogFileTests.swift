import Glibc
import Platform
import Shell
import Testing

@Suite struct `The log of a plugin` {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("default.log")
    }

    @Test func `keeps the latest lines, in two files of a bounded size`() throws {
        let log = PluginLogFile(path, largest: 1_000, clock: .system)
        for number in 0..<500 { log.append("vault: line \(number)") }
        let files = PluginLogFile.files(path)
        let texts = try files.map { String(decoding: try Files.read($0), as: UTF8.self) }
        for text in texts { #expect(text.utf8.count < 1_100) }
        let lines = (texts[1] + texts[0]).split(separator: "\n").map(String.init)
        let first = 500 - lines.count
        #expect(lines.count > 10)
        for (index, line) in lines.enumerated() {
            #expect(line.hasSuffix(" vault: line \(first + index)"))
        }
    }

    @Test func `is never written through a link`() throws {
        let target = try folder.write("precious", "as it was\n")
        try #require(symlink(target, path) == 0)
        PluginLogFile(path, largest: 4, clock: .system).append("vault: hello")
        #expect(try folder.read("precious") == "as it was\n")
    }

    @Test func `that cannot be written is done without`() throws {
        PluginLogFile(folder.file("missing/default.log"), clock: .system).append("hello")
        #expect(try Files.list(folder.path).isEmpty)
    }
}
