import JSON
import Platform
import Testing

@Suite struct `The desktop's keyring` {
    /// A `secret-tool` that keeps secrets in a folder of its own.
    private static let tool = """
        #!/usr/bin/env python3
        import hashlib, os, sys
        action, words = sys.argv[1], [word for word in sys.argv[2:] if not word.startswith("--")]
        folder = os.path.join(os.environ["HOME"], "keyring")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, hashlib.sha256(repr(words).encode()).hexdigest())
        if os.environ.get("KEYRING_LOCKED"):
            sys.exit(1)
        if action == "store":
            open(path, "w").write(sys.stdin.read())
        elif action == "lookup":
            if not os.path.exists(path):
                sys.exit(1)
            sys.stdout.write(open(path).read())
        elif action == "clear" and os.path.exists(path):
            os.remove(path)

        """

    private static let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]

    private func home() throws -> (SatchelHome, [String: String?]) {
        let home = try VaultPlugin.home()
        try home.write("bin/secret-tool", Self.tool, mode: 0o755)
        var variables: [String: String?] = Self.bus
        variables["PATH"] = "\(home.file("bin")):/usr/local/bin:/usr/bin:/bin"
        return (home, variables)
    }

    @Test func `keeps secrets where secret-tool reaches it`() throws {
        let (home, variables) = try home()
        let login = try home.satchel("auth", "login", input: "ann\ns3cret\n", with: variables)
        #expect(login.code == 0, "\(login)")
        let status = try home.satchel("auth", "-o", "json", with: variables).json()
        #expect(status.elements?.allSatisfy { $0["place"] == "keyring" } == true)
        let folder = home.file(".local/state/satchel/secrets")
        for name in try Files.list(folder) {
            let text = String(
                decoding: try Files.read(Path.join(folder, name)), as: UTF8.self)
            #expect(!text.contains("s3cret"))
        }
        #expect(try home.satchel("sync", with: variables).code == 0)
        #expect(try home.satchel("auth", "logout", with: variables).code == 0)
        #expect(try Files.list(home.file("keyring")) == [])
    }

    @Test func `is done without where it stays locked`() throws {
        let (home, variables) = try home()
        var locked = variables
        locked["KEYRING_LOCKED"] = "1"
        let login = try home.satchel("auth", "login", input: "ann\ns3cret\n", with: locked)
        #expect(login.code == 0, "\(login)")
        let status = try home.satchel("auth", "-o", "json", with: locked).json()
        #expect(status.elements?.allSatisfy { $0["place"] == "file" } == true)
    }

    @Test func `that lost a secret is a missing login, not an empty one`() throws {
        let (home, variables) = try home()
        #expect(
            try home.satchel("auth", "login", input: "ann\ns3cret\n", with: variables).code == 0)
        var locked = variables
        locked["KEYRING_LOCKED"] = "1"
        #expect(try home.satchel("sync", with: locked).code == 4)
        #expect(try home.satchel("auth", with: locked).code == 4)
    }
}
