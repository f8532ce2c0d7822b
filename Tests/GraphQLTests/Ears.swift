import JSON
import Platform
import PluginKit
import Testing
import satchel_backend_graphql

/// What a backend in this process tells its host.
final class Ears {
    /// For the backend.
    let host: PluginHost
    private let pipe: Pipe
    private let lines: LineReader
    /// All that was told, in order.
    private var told: [Told] = []

    enum Told: Equatable {
        case gap
        case event(model: String, id: String, version: JSONValue?, isDeleted: Bool)
        case secret(String, String)
        case log(String)
    }

    init() throws {
        pipe = try Pipe.make()
        lines = LineReader(pipe.reading.number, name: "the plugin")
        host = PluginHost(output: ByteOutput(pipe.writing.number, name: "the host"))
    }

    /// Does as a host that waits, until something of that kind is told; all of it since the last time.
    @discardableResult
    func hear(_ backend: any PluginHandler, until isEnough: ([Told]) -> Bool) -> [Told] {
        let end = Clock.system.monotonic() + 120_000
        while !isEnough(told) {
            guard Clock.system.monotonic() < end else {
                Issue.record("it is not told; there is \(told)")
                break
            }
            turn(backend, atMost: 1_000)
        }
        defer { told = [] }
        return told
    }

    /// Takes one turn of the plugin, as its server does.
    ///
    /// - Returns: All that was told since the last `hear`.
    @discardableResult
    func turn(_ backend: any PluginHandler, atMost milliseconds: Int64) -> [Told] {
        let reading = pipe.reading.number
        var pause = milliseconds
        switch backend.idle() {
        case .again: pause = 0
        case .later(let time): pause = min(pause, time)
        case .done: break
        }
        let ready = Poll.wait(
            reading: backend.watchedDescriptors + [reading], milliseconds: pause)
        for descriptor in ready where descriptor != reading { backend.react(to: descriptor) }
        while lines.isReady, let line = read() { told.append(line) }
        return told
    }

    private func read() -> Told? {
        guard case .line(let bytes)? = try? lines.next(),
            let message = try? JSONValue.parse(bytes), let params = message["params"]
        else { return nil }
        switch message["method"]?.text {
        case "gap": return .gap
        case "event":
            return .event(
                model: params["model"]?.text ?? "", id: params["id"]?.text ?? "",
                version: params["version"], isDeleted: params["deleted"] == true)
        case "secret":
            return .secret(params["key"]?.text ?? "", params["value"]?.text ?? "")
        default: return .log(params["message"]?.text ?? "")
        }
    }
}

extension [Ears.Told] {
    /// The ids of the records that were told of.
    var ids: [String] {
        compactMap { if case .event(_, let id, _, _) = $0 { id } else { nil } }
    }

    /// What was told of a record.
    func of(_ id: String) -> [Ears.Told] {
        filter { if case .event(_, id, _, _) = $0 { true } else { false } }
    }

    var gaps: Int { count { $0 == .gap } }

    var logs: [String] { compactMap { if case .log(let words) = $0 { words } else { nil } } }
}
