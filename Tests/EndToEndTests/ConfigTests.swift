import Testing

@Suite struct `Settings that do not fit, or go` {
    @Test func `takes a hook away, so that creates go again`() throws {
        let pair = try SharedFolder()
        let set = try pair.run("a", "config set hooks.before_create ./nothere")
        #expect(set.code == 0, "\(set)")
        #expect(set.errors.contains("hooks.before_create: there is no program"), "\(set)")
        #expect(try pair.run("a", "create Post title=x").code != 0)
        #expect(try pair.run("a", "config set hooks.before_create null --dry-run").code == 0)
        #expect(try pair.run("a", "config get hooks.before_create").output == "./nothere\n")
        let gone = try pair.run("a", "config set hooks.before_create null")
        #expect(gone.code == 0 && gone.errors == "", "\(gone)")
        #expect(try !pair.output("a", "config").contains("hooks"))
        try pair.output("a", "create Post title=x")
        let again = try pair.run("a", "config set hooks.before_create null")
        #expect(again.code == 0 && again.errors.contains("is not set"), "\(again)")
    }

    @Test(
        arguments: [
            "contexts.default.syn manual", "models.Post.conflict foo", "contexts.default null",
            "sync sometimes",
        ])
    func `calls what does not fit a mistake of the line typed`(_ words: String) throws {
        let pair = try SharedFolder()
        let before = try pair.home.read("a/satchel.json")
        let ended = try pair.run("a", "config set \(words)")
        #expect(ended.code == 2, "\(ended)")
        #expect(!ended.errors.contains("satchel.json:"), "\(ended)")
        #expect(try pair.home.read("a/satchel.json") == before)
    }
}
