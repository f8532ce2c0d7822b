import Testing

@Suite struct `Starting the program` {
    @Test func `outside of a workspace it says so and how to make one`() throws {
        let run = try SatchelHome().satchel("list", "Post")
        #expect(run.code == 1)
        #expect(run.output == "")
        #expect(run.errors.contains("no workspace here"), "\(run)")
        #expect(run.errors.contains("satchel init"), "\(run)")
    }

    @Test func `a command that does not exist does nothing and exits 2`() throws {
        let run = try SatchelHome().satchel("lst", "Post")
        #expect(run.code == 2)
        #expect(run.errors.contains("did you mean \"list\"?"), "\(run)")
    }
}
