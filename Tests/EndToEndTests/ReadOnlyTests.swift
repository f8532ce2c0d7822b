import Platform
import Testing

/// A mount namespace of its own can have a workspace on a disk that takes nothing new.
@Suite struct `A workspace on a disk that is mounted read-only` {
    private static func canMount() -> Bool {
        do {
            let tools = CapturedProgram(
                shell: "PATH=$PATH:/usr/sbin:/sbin unshare -rm sh -c 'mount -t tmpfs none /mnt'",
                environment: Environment.current())
            return try tools.run(within: 30_000).code == 0
        } catch {
            return false
        }
    }

    @Test(.enabled(if: canMount(), "unshare and mount make no mount namespace here"))
    func `can be read where it was in use, and says what cannot be written`() throws {
        let home = try SatchelHome()
        try home.write("schema.graphql", "type Post @model { title: String }")
        let made = try home.satchel("init", "w", "--schema", "schema.graphql")
        try #require(made.code == 0, "\(made)")
        try #require(try home.satchel("create", "Post", "title=kept", in: "w").code == 0)
        let file = home.file("w/.satchel/default.sqlite")
        let run = try readOnly(
            home, "satchel list Post fields title; echo $?; satchel create Post title=b; echo $?")
        #expect(run.lines == ["title", "kept", "0", "8"], "\(run)")
        #expect(run.errors.contains("the store \(file) cannot be written"), "\(run)")
        #expect(run.errors.contains("mount its disk read-write"), "\(run)")
        #expect(!run.errors.contains("INSERT"), "\(run)")
        for end in ["-wal", "-shm"] where Files.exists(file + end) { try Files.remove(file + end) }
        let unopened = try readOnly(home, "satchel list Post; echo $?")
        #expect(unopened.lines == ["8"], "\(unopened)")
        #expect(unopened.errors.contains("the store \(file) cannot be opened"), "\(unopened)")
        #expect(unopened.errors.contains("mount its disk read-write"), "\(unopened)")
    }

    private func readOnly(_ home: SatchelHome, _ commands: String) throws -> Ended {
        try home.shell(
            """
            PATH=$PATH:/usr/sbin:/sbin exec unshare -rm bash -c '
                mount --bind w w && mount -o remount,bind,ro w && cd w && \(commands)'
            """)
    }
}
