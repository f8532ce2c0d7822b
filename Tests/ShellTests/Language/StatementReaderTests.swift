import Glibc
import Platform
import Shell
import Testing

@Suite struct `Reading the commands of a script` {
    struct Read: Equatable {
        var text: String
        var line: Int
    }

    func commands(_ script: String) throws -> [Read] {
        let folder = try ScratchFolder()
        let path = try folder.write("script", script)
        let descriptor = Descriptor(taking: open(path, O_RDONLY))
        var reader = StatementReader(LineReader(descriptor.number, name: "script"))
        var reads: [Read] = []
        while let read = try reader.next({ (bytes, line) throws(ShellError) in
            Read(text: String(decoding: bytes, as: UTF8.self), line: line)
        }) {
            reads.append(read)
        }
        return reads
    }

    @Test func `numbers physical lines`() throws {
        let reads = try commands("one\n\n# three\nfour \\\n  five\nsix 'a\nb' c\nnine")
        #expect(
            reads == [
                Read(text: "one", line: 1), Read(text: "", line: 2), Read(text: "# three", line: 3),
                Read(text: "four \\\n  five", line: 4), Read(text: "six 'a\nb' c", line: 6),
                Read(text: "nine", line: 8),
            ])
    }

    @Test func `skips a byte order mark`() throws {
        #expect(try commands("\u{FEFF}one\ntwo\n").map(\.text) == ["one", "two"])
    }

    @Test func `gives a quote that is never closed the line where it opens`() {
        let script = "one\ntwo \\\n  three 'x\nfour\n"
        let error = #expect(throws: ShellError.self) { try commands(script) }
        #expect(error?.line == 3)
        #expect(error?.exitCode == .usage)
    }

    @Test func `gives an error of a command the line where the command begins`() throws {
        let folder = try ScratchFolder()
        let path = try folder.write("script", "one\ntwo \\\nthree\n")
        let descriptor = Descriptor(taking: open(path, O_RDONLY))
        var reader = StatementReader(LineReader(descriptor.number, name: "script"))
        _ = try reader.next { (_, _) throws(ShellError) in }
        let error = #expect(throws: ShellError.self) {
            try reader.next { (_, _) throws(ShellError) in throw .usage("no") }
        }
        #expect(error?.line == 2)
    }
}
