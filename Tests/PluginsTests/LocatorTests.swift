import Platform
import Plugins
import Testing

@Suite struct `Finding plugins` {
    let root: String

    init() throws { root = try Files.makeTemporaryDirectory(prefix: "satchel-locator") }

    private func put(_ path: String, mode: UInt32 = 0o755) throws {
        let file = Path.join(root, path)
        try Files.makeDirectory(Path.parent(file), mode: 0o755)
        try Files.replace(file, with: Array("#!/bin/sh\n".utf8), mode: mode, durable: false)
    }

    private func locator(isTrusted: Bool = true) -> PluginLocator {
        PluginLocator(
            environment: Environment(variables: [
                "HOME": root, "PATH": "\(root)/path:relative", "SATCHEL_PLUGIN_PATH": "\(root)/own",
            ]),
            executable: "\(root)/prefix/bin/satchel", workspace: "\(root)/work",
            isTrusted: isTrusted)
    }

    @Test func `follows the order of the protocol`() throws {
        defer { try? Files.removeTree(root) }
        let places = [
            "path", "prefix/libexec/satchel", ".local/share/satchel/plugins", "work/plugins",
            "prefix/bin", "own",
        ]
        for place in places {
            try put("\(place)/satchel-backend-x")
            #expect(try locator().locate("x") == "\(root)/\(place)/satchel-backend-x")
        }
        #expect(locator().list().map(\.isShadowed) == [false, true, true, true, true, true])
    }

    @Test func `leaves an untrusted workspace alone`() throws {
        defer { try? Files.removeTree(root) }
        try put("work/plugins/satchel-backend-x")
        let error = #expect(throws: PluginError.self) {
            try locator(isTrusted: false).locate("x")
        }
        #expect(error?.kind == .untrusted)
        #expect(locator(isTrusted: false).list().isEmpty)
    }

    @Test func `refuses a program that everybody can change`() throws {
        defer { try? Files.removeTree(root) }
        try put("own/satchel-backend-x", mode: 0o777)
        try put("path/satchel-backend-x")
        let error = #expect(throws: PluginError.self) { try locator().locate("x") }
        #expect(error?.kind == .untrusted)
        try Files.setMode(Path.join(root, "own/satchel-backend-x"), 0o755)
        try Files.setMode(Path.join(root, "own"), 0o777)
        #expect(throws: PluginError.self) { try locator().locate("x") }
        try Files.setMode(Path.join(root, "own"), 0o755)
        _ = try locator().locate("x")
        // Or put another folder in the place of its own.
        try Files.setMode(root, 0o777)
        #expect(throws: PluginError.self) { try locator().locate("x") }
        try Files.setMode(root, 0o1777)
        _ = try locator().locate("x")
    }

    @Test(arguments: ["", "../x", "a/b", "x;y", "é"])
    func `takes no name that could lead elsewhere`(_ name: String) throws {
        defer { try? Files.removeTree(root) }
        let error = #expect(throws: PluginError.self) { try locator().locate(name) }
        #expect(error?.kind == .notFound)
    }

    @Test func `says what to do about a program that is not executable`() throws {
        defer { try? Files.removeTree(root) }
        try put("own/satchel-backend-x", mode: 0o644)
        let error = #expect(throws: PluginError.self) { try locator().locate("x") }
        #expect(error?.hint == "chmod +x \(root)/own/satchel-backend-x")
    }
}

@Suite struct `Trusting a workspace` {
    @Test func `holds for the content seen and no other`() throws {
        let root = try Files.makeTemporaryDirectory(prefix: "satchel-trust")
        defer { try? Files.removeTree(root) }
        let trust = Trust(Environment(variables: ["XDG_STATE_HOME": root]))
        #expect(try !trust.holds(workspace: root, content: [1]))
        try trust.trust(workspace: root, content: [1])
        #expect(try trust.holds(workspace: root + "/.", content: [1]))
        #expect(try !trust.holds(workspace: root, content: [2]))
        #expect(try Files.status(root + "/satchel/trusted.json").mode == 0o600)
        try trust.revoke(workspace: root)
        #expect(try !trust.holds(workspace: root, content: [1]))
    }

    @Test func `is not read from a file that others can write`() throws {
        let root = try Files.makeTemporaryDirectory(prefix: "satchel-trust")
        defer { try? Files.removeTree(root) }
        let trust = Trust(Environment(variables: ["XDG_STATE_HOME": root]))
        try trust.trust(workspace: root, content: [1])
        try Files.setMode(root + "/satchel/trusted.json", 0o666)
        #expect(throws: SystemError.self) { try trust.holds(workspace: root, content: [1]) }
    }
}
