import JSON
import Platform
import Plugins
import Records
import Sync
import Testing

@Suite(.serialized) struct `A plugin that` {
    @Test(arguments: HostilePlugin.all)
    func `misbehaves ends in a named error and leaves nothing running`(
        _ hostile: HostilePlugin
    ) throws {
        let prelude =
            hostile.script.isEmpty ? "#!/no/such/interpreter\n" : ScriptedPlugin.prelude
        let plugin = try ScriptedPlugin(hostile.script, prelude: prelude)
        hostile.limits(&plugin.deadlines)
        let backend = plugin.backend()
        let error = #expect(throws: BackendError.self) { try hostile.ask(backend) }
        #expect(error?.kind == hostile.kind)
        let message = error?.message ?? ""
        #expect(message.contains(hostile.message), "\(message)")
        if let hint = hostile.hint {
            #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "no hint")")
        }
        backend.close()
        #expect(try plugin.survivors() == [])
    }

    @Test func `misbehaves leaks no descriptor and leaves no zombie`() async {
        // In a process of its own: other tests open and close descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            try Self.runAll()
            let before = try Files.list("/proc/self/fd").count
            try Self.runAll()
            let after = try Files.list("/proc/self/fd").count
            #expect(after == before)
            #expect(try Files.read("/proc/self/task/\(Machine.processID)/children") == [])
            guard after == before else { throw SystemError(code: 1, message: "leaked") }
        }
    }

    private static func runAll() throws {
        for hostile in HostilePlugin.all {
            let plugin = try ScriptedPlugin(hostile.script)
            hostile.limits(&plugin.deadlines)
            let backend = plugin.backend()
            do { try hostile.ask(backend) } catch {}
            backend.close()
            plugin.teardown.wait()
        }
    }
}
