package import JSON
package import Platform

/// The lines from the host: those read ahead in search of a `cancel`, then those still to be read.
package final class PluginInbox {
    package enum Message {
        case request(id: JSONValue, method: String, params: JSONObject)
        case notification(method: String, params: JSONObject)
        /// A line that is no message, and why.
        case broken(String)
        case end
    }

    package let descriptor: Int32
    private let reader: LineReader
    private var waiting: [Message] = []

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        reader = LineReader(descriptor, name: "standard input", limit: 16 << 20)
    }

    /// True when `next()` would answer without waiting.
    package var isReady: Bool { !waiting.isEmpty || hungUp || reader.isReady }

    /// The next message, waiting for it.
    package func next() throws(SystemError) -> Message {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return try read()
    }

    /// The host closed its end; what it asked before that may still be waiting.
    private(set) var hungUp = false

    /// Looks through what has arrived for a `cancel` of request `id`, keeping everything else.
    func holdsCancel(of id: JSONValue) -> Bool {
        // It may have been read while an earlier request was worked on.
        if waiting.contains(where: { $0.isCancel(of: id) }) { return true }
        while !hungUp, reader.isReady {
            do throws(SystemError) {
                let message = try read()
                if message.isCancel(of: id) { return true }
                if case .end = message { break }
                waiting.append(message)
            } catch {
                hungUp = true
            }
        }
        return false
    }

    private func read() throws(SystemError) -> Message {
        guard !hungUp else { return .end }
        switch try reader.next() {
        case .line(let bytes): return Self.message(bytes)
        case .end, .interrupted:
            hungUp = true
            return .end
        }
    }

    /// The message a line holds; members it need not have are ignored.
    static func message(_ line: UnsafeRawBufferPointer) -> Message {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(line)
        } catch {
            return .broken(error.message)
        }
        guard let object = value.members, let method = object["method"]?.text else {
            return .broken("the line is no JSON-RPC request")
        }
        let params = object["params"]?.members ?? JSONObject()
        guard let id = object["id"] else {
            return .notification(method: method, params: params)
        }
        return .request(id: id, method: method, params: params)
    }
}

extension PluginInbox.Message {
    fileprivate func isCancel(of id: JSONValue) -> Bool {
        if case .notification("cancel", let params) = self { params["id"] == id } else { false }
    }
}
