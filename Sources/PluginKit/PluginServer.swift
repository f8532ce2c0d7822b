internal import JSON
package import Platform

/// Answers the host's requests with a handler until the input ends.
package final class PluginServer {
    let handler: any PluginHandler
    let host: PluginHost
    let inbox: PluginInbox
    private let output: ByteOutput
    var isInitialized = false

    package init(_ handler: any PluginHandler, input: Int32 = 0, output: Int32 = 1) {
        self.handler = handler
        self.output = ByteOutput(output, name: "standard output", capacity: 256 * 1024)
        host = PluginHost(output: self.output)
        inbox = PluginInbox(input)
    }

    /// Serves a host on standard input and output, or tells a person what the program is.
    ///
    /// - Returns: The exit code.
    package static func run(_ handler: any PluginHandler, environment: Environment) -> Int32 {
        Signals.ignoreBrokenPipes()
        let server = PluginServer(handler)
        guard environment["SATCHEL_PLUGIN"] == "1" else { return server.introduce() }
        return server.serve()
    }

    /// Answers requests until the input ends.
    ///
    /// - Returns: The exit code: 0 at the end of the input, 1 when a pipe failed.
    package func serve() -> Int32 {
        defer { handler.finish() }
        do throws(SystemError) {
            while true {
                waitForHost()
                switch try inbox.next() {
                case .request(let id, let method, let params):
                    try reply(to: id, answer(id, method, params))
                    if method == "shutdown" { return 0 }
                case .notification: break
                case .broken(let reason):
                    let error = PluginError(.permanent, "cannot read a request: \(reason)")
                    try reply(to: .null, .failure(error))
                case .end: return 0
                }
            }
        } catch {
            // Nobody is left to tell but whoever reads the log.
            return error.kind == .closedPipe ? 0 : complain(error.message)
        }
    }

    /// Lets the handler use the time until the host says something.
    private func waitForHost() {
        while !inbox.isReady {
            let pause: Int64
            switch handler.idle() {
            case .again: continue
            case .later(let milliseconds): pause = milliseconds
            case .done: pause = -1
            }
            let watched = handler.watchedDescriptors
            for ready in Poll.wait(reading: watched + [inbox.descriptor], milliseconds: pause)
            where ready != inbox.descriptor {
                handler.react(to: ready)
            }
        }
    }

    /// Bytes of an answer, with room for what surrounds it in a line of 16 MiB.
    static let longestLine = (16 << 20) - (64 << 10)

    /// Writes a reply: `{"jsonrpc":"2.0","id":…,"result":…}` and a line end.
    private func reply(to id: JSONValue, _ answer: Answer) throws(SystemError) {
        var head = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
        id.write(into: &head)
        switch answer {
        case .value(let value):
            head.append(contentsOf: ",\"result\":".utf8)
            value.write(into: &head)
            try output.write(head)
        case .records(let page, _) where page.bytes.count > Self.longestLine:
            // The host asks for less.
            let error = PluginError(
                .tooLarge, "\(page.count) records have more bytes than an answer may have")
            return try reply(to: id, .failure(error))
        case .records(let page, let end):
            head.append(contentsOf: ",\"result\":{\"records\":[".utf8)
            try output.write(head)
            try output.write(page.bytes)
            var tail: [UInt8] = [UInt8(ascii: "]")]
            for (key, value) in end.pairs {
                tail.append(UInt8(ascii: ","))
                JSONWriter.appendString(key, to: &tail)
                tail.append(UInt8(ascii: ":"))
                value.write(into: &tail)
            }
            tail.append(UInt8(ascii: "}"))
            try output.write(tail)
        case .failure(let error):
            head.append(contentsOf: ",\"error\":".utf8)
            error.json.write(into: &head)
            try output.write(head)
        }
        try output.write("}\n")
        try output.flush()
    }

    private func introduce() -> Int32 {
        do throws(SystemError) {
            try output.write(
                """
                satchel-backend-\(handler.name) \(handler.version): \(handler.summary)
                It is a plugin: Satchel starts it for a context with the backend \
                "\(handler.name)", and speaks protocol 1 with it.

                """)
            try output.flush()
            return 0
        } catch {
            return error.kind == .closedPipe ? 0 : 1
        }
    }

    private func complain(_ message: String) -> Int32 {
        let log = ByteOutput(2, name: "standard error")
        do throws(SystemError) {
            try log.write("satchel-backend-\(handler.name): \(message)\n")
            try log.flush()
        } catch {
            // There is no other place to say it.
        }
        return 1
    }
}
