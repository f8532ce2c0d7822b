import JSON
import Platform
import PluginKit
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.timeLimit(.minutes(15))) struct `A proxy of the environment` {
    /// Nobody knows the host: what is told of it came through the proxy.
    @Test func `carries the subscriptions of an API that a mapping tells of`() throws {
        let server = try GenericServer("hasura")
        let proxy = try ProxyServer(to: server.port)
        let pipe = try Pipe.make()
        let lines = LineReader(pipe.reading.number, name: "the plugin")
        let mapping: JSONValue = ["like": "hasura", "live_url": "http://live.invalid/graphql"]
        let api = try MappedAPI(
            "hasura", ["mapping": mapping], server: server,
            environment: ["http_proxy": "http://\(proxy.address)/"],
            host: PluginHost(output: ByteOutput(pipe.writing.number, name: "the host")))
        try api.backend.subscribe(models: ["Post"], filters: nil, api.call)
        let end = Clock.system.monotonic() + 120_000
        var made = 0
        while Clock.system.monotonic() < end {
            guard case .later(let pause) = api.backend.idle() else { break }
            let watched = api.backend.watchedDescriptors
            let ready = Poll.wait(
                reading: watched + [pipe.reading.number], milliseconds: min(pause, 500))
            for descriptor in ready where watched.contains(descriptor) {
                api.backend.react(to: descriptor)
            }
            // What is there when the API begins to tell is no event.
            made += 1
            try api.make("p\(made)")
            while lines.isReady, case .line(let line) = try lines.next() {
                if try JSONValue.parse(line)["method"] == "event" { return }
            }
        }
        Issue.record("nothing is told")
    }
}
