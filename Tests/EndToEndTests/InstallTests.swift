import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `An installation` {
    private let home: SatchelHome
    private let root = Path.normalise(Path.join(Path.parent(#filePath), "../.."))

    init() throws {
        home = try SatchelHome()
        let programs = try SatchelHome.programs()
        // What ships and nothing of the tests beside it.
        let installed = try home.shell(
            "mkdir from && cp '\(programs)/satchel' '\(programs)'/satchel-backend-{folder,graphql} from && "
                + "'\(root)/scripts/install' --from from prefix && rm -r from")
        try #require(installed.code == 0, "\(installed)")
        #expect(installed.errors.hasSuffix("add \(home.path)/prefix/bin to your PATH\n"))
    }

    /// A command of the installed program, in a home that has nothing yet.
    private func run(_ line: String, in folder: String = ".") throws -> Ended {
        try home.shell(
            line, in: folder,
            with: [
                "PATH": "\(home.path)/prefix/bin:/usr/bin:/bin", "HOME": "\(home.path)/fresh",
            ])
    }

    @Test func `has all that it needs, and takes it away again`() throws {
        let listed = try run("satchel plugin list -o csv")
        #expect(listed.code == 0, "\(listed)")
        for name in ["folder", "graphql", "kinto", "singer"] {
            let line = "\(name),\(home.path)/prefix/libexec/satchel/satchel-backend-\(name),"
            #expect(listed.output.contains(line), "\(listed)")
            let info = try run("satchel plugin info \(name)")
            #expect(info.code == 0, "\(info)")
        }
        let synced = try run(
            "satchel init notes --backend folder --set path=../remote && cd notes && "
                + "satchel create Task title=Hello && satchel sync && ls ../remote/Task")
        #expect(synced.code == 0 && synced.output.hasSuffix(".json\n"), "\(synced)")
        let told = try run("satchel plugin new mine --language sh", in: "notes")
        let guide = "\(home.path)/prefix/share/doc/satchel/plugins/README.md"
        #expect(told.errors.contains(guide) && Files.exists(guide), "\(told)")
        let completed = try run(
            "source prefix/share/bash-completion/completions/satchel && complete -p satchel")
        #expect(completed.code == 0, "\(completed)")
        #expect(Files.exists(home.file("prefix/share/zsh/site-functions/_satchel")))
        #expect(Files.exists(home.file("prefix/share/man/man1/satchel.1")))

        try home.write("prefix/bin/other", "not ours")
        let removed = try home.shell("'\(root)/scripts/install' --remove prefix")
        #expect(removed.code == 0, "\(removed)")
        #expect(try home.shell("find prefix -type f").output == "prefix/bin/other\n")
        #expect(try home.shell("'\(root)/scripts/install' --remove prefix").code == 1)
    }

    @Test func `takes the place of an older one`() throws {
        try home.write("prefix/libexec/satchel/satchel-backend-old", "#!/bin/sh\n", mode: 0o755)
        let list = try home.read("prefix/share/satchel/files")
        try home.write(
            "prefix/share/satchel/files",
            list + "libexec/satchel/satchel-backend-old\n../precious\n/precious\n")
        try home.write("precious", "as it was")
        let programs = try SatchelHome.programs()
        let again = try home.shell(
            "mkdir from && cp '\(programs)/satchel-backend-folder' from/satchel && "
                + "'\(root)/scripts/install' --from from prefix")
        #expect(again.code == 0, "\(again)")
        #expect(try home.read("precious") == "as it was")
        #expect(!Files.exists(home.file("prefix/libexec/satchel/satchel-backend-old")))
    }
}
