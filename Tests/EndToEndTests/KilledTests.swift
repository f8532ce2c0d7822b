import Glibc
import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `A satchel that is killed` {
    let space: HookedWorkspace
    var home: SatchelHome { space.pair.home }

    init() throws { space = try HookedWorkspace() }

    /// Starts a child, a daemon in a session of its own and an orphan, notes all, and hangs.
    private static func hanging(_ folder: String) -> String {
        """
        sleep 1000 & echo $! >> \(folder)/pids
        setsid sleep 1000 & echo $! >> \(folder)/pids
        (sleep 1000 & echo $! >> \(folder)/pids)
        trap '' TERM INT HUP
        echo $$ >> \(folder)/pids
        : > \(folder)/begun
        while :; do sleep 1000; done

        """
    }

    /// Starts satchel, kills it when the program it started has begun, and waits until that is gone.
    private func kill(_ arguments: [String], input: String? = nil) throws {
        let satchel = Path.join(try SatchelHome.programs(), "satchel")
        let running = try home.start(satchel, arguments, in: "a", input: input)
        while !Files.exists(home.file("a/begun")) { _ = Poll.wait(reading: [], milliseconds: 1) }
        running.signal(SIGKILL)
        #expect(try running.wait().code == 137)
        let pids = try home.read("a/pids").split(separator: "\n").compactMap { pid_t($0) }
        #expect(pids.count == 4)
        // Nobody tells when the last of them is gone.
        for pid in pids { while runs(pid) { _ = Poll.wait(reading: [], milliseconds: 1) } }
    }

    /// False for what has ended, collected or not.
    private func runs(_ pid: pid_t) -> Bool {
        guard let state = try? Files.read("/proc/\(pid)/stat") else { return false }
        return !String(decoding: state, as: UTF8.self).contains(") Z ")
    }

    @Test(arguments: ["before_create", "before_update", "before_delete", "after_sync"])
    func `leaves no hook running`(_ point: String) throws {
        let id = try space.output("create Post title=one -o id")
        try space.hook(point, "#!/bin/sh\n" + Self.hanging("."), timeout: 1_000)
        let commands = [
            "before_create": ["create", "Post", "title=x"],
            "before_update": ["update", "Post", id, "title=x"],
            "before_delete": ["delete", "Post", id], "after_sync": ["sync"],
        ]
        try kill(try #require(commands[point]))
    }

    @Test(arguments: ["initialize", "pull", "push"]) func `leaves no plugin running`(_ at: String)
        throws
    {
        try home.write(
            "a/plugins/satchel-backend-hangs",
            """
            #!/bin/sh
            # A backend that hangs in \(at).
            while read -r line; do
              case $line in
                *'"method":"\(at)"'*) \(Self.hanging(home.file("a"))) ;;
                *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,
            "capabilities":{"push":{"idempotency":"key"}},"identity":"x"}}' | tr -d '\\n'; echo ;;
                *) echo '{"jsonrpc":"2.0","id":2,"result":{"records":[],"more":false}}' ;;
              esac
            done

            """, mode: 0o755)
        try space.output("create Post title=one")
        try space.output("trust --yes")
        try space.output("context add other --backend hangs")
        if at == "push" { try space.output("create Post title=one --context other") }
        try kill(["sync", "--context", "other"])
    }
}
