/// Reads server-sent events out of bytes as they come.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
package struct EventReader: Sendable {
    package struct Event: Sendable, Equatable {
        /// `message` where the server gives none.
        package var name: String
        package var data: [UInt8]

        package init(name: String, data: [UInt8]) {
            self.name = name
            self.data = data
        }
    }

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var endedInReturn = false
    private let limit: Int
    /// True when an event was longer than is taken: what follows means nothing.
    package private(set) var isTooLong = false

    /// An event may have `limit` bytes.
    package init(limit: Int) { self.limit = limit }

    /// The events that end within these bytes.
    package mutating func take(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes where !isTooLong {
            switch byte {
            case 0x0A where endedInReturn: endedInReturn = false
            case 0x0A, 0x0D:
                endedInReturn = byte == 0x0D
                if let event = endLine() { events.append(event) }
            default:
                endedInReturn = false
                line.append(byte)
                isTooLong = line.count + data.count > limit
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line = [] }
        guard !line.isEmpty else {
            defer {
                name = ""
                data = []
                hasData = false
            }
            return hasData ? Event(name: name.isEmpty ? "message" : name, data: data) : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == 0x20 { value.removeFirst() }
        if line[..<colon].elementsEqual("event".utf8) {
            name = String(decoding: value, as: UTF8.self)
        } else if line[..<colon].elementsEqual("data".utf8) {
            if hasData { data.append(0x0A) }
            data.append(contentsOf: value)
            hasData = true
        }
        return nil
    }
}
