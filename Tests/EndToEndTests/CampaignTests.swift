import Platform
import Testing

// The short versions of what scripts/ runs at length; docs/reliability.md has the figures.

private func campaign(_ script: String, _ words: String) throws -> Ended {
    let root = Path.parent(Path.parent(Path.parent(#filePath)))
    let home = try SatchelHome()
    let line = "'\(root)/scripts/\(script)' \(words) --bin '\(try SatchelHome.programs())'"
    return try home.shell(line + " --work '\(home.path)' 2>&1")
}

@Suite struct `Killed processes` {
    @Test func `lose nothing that was acknowledged and deliver nothing twice`() throws {
        let run = try campaign("crash-campaign", "--kills 25 --seed 20")
        #expect(run.code == 0 && run.output.contains("violations 0"), "\(run)")
    }
}

@Suite struct `Twenty processes at once on one store` {
    @Test func `neither fail nor lose a write, and a watch sees every change once`() throws {
        let run = try campaign("many-processes", "--seconds 5 --seed 1")
        #expect(run.code == 0 && run.output.contains("each once and in order"), "\(run)")
    }
}

@Suite struct `Two workspaces and a plain client on one GraphQL API` {
    @Test(arguments: ["on", "off"])
    func `end equal, each write applied once, whatever breaks`(_ detection: String) throws {
        let run = try campaign(
            "graphql-campaign", "--seconds 8 --seed 1 --conflict-detection \(detection)")
        #expect(run.code == 0 && run.output.contains("all equal, each write once"), "\(run)")
    }
}

@Suite struct `A disk that fills up` {
    private static let mayMount = {
        do {
            let line = "unshare -rm mount -t tmpfs none /mnt || unshare -m mount -t tmpfs none /mnt"
            return try SatchelHome().shell(line).code == 0
        } catch { return false }
    }()

    @Test(
        .enabled(if: mayMount, "no small disk can be had: unshare and mount are refused here"),
        arguments: [
            "creates imports", "pulls", "pushes checkpoints", "schema", "folder", "state settings",
        ])
    func `loses nothing, says so, and lets the next run complete`(cases: String) throws {
        let run = try campaign("disk-full", "--quick \(cases)")
        #expect(run.code == 0, "\(run)")
    }
}
