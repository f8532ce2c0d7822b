import Shell
import Testing

@Suite struct `A block of pasted lines` {
    func block(_ text: String) -> CommandBlock { CommandBlock(Array(text.utf8)) }

    func commands(_ text: String) -> [String] {
        block(text).commands.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `is cut into commands`() {
        #expect(commands("list Post") == ["list Post"])
        #expect(commands("a\n\n# b\nc 'd\ne' f\ng \\\nh") == ["a", "c 'd\ne' f", "g \\\nh"])
        #expect(commands("") == [])
    }

    @Test func `may end within a command`() {
        #expect(block("a\nb 'c").open == Array("b 'c".utf8))
        #expect(block("a \\").open == Array("a \\".utf8))
        #expect(block("a").isComplete)
    }

    @Test func `asks first when one of several commands destroys`() {
        #expect(block("list Post\ndelete Post 1").needsConsent)
        #expect(!block("delete Post 1").needsConsent)
        #expect(!block("list Post\ncreate Post title='delete Post 1'").needsConsent)
        #expect(block("list Post\nupdate Post where a = 1 set b=2").needsConsent)
    }
}
