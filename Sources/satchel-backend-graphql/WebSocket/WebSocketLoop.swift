internal import CWebSockets

/// What the thread of a service does: it lets the library work, and carries out orders between its
/// turns.
final class WebSocketLoop {
    private let shared: WebSocketService.Shared
    private var lines: [Int: WebSocketLine] = [:]

    init(_ shared: WebSocketService.Shared) { self.shared = shared }

    func run() {
        guard let made = shared.made else { return }
        var isStopping = false
        while !isStopping {
            for order in shared.takeOrders() {
                switch order {
                case .open(let number, let request, let inbox):
                    let line = WebSocketLine(request, inbox)
                    lines[number] = line
                    line.connect(made)
                case .send(let number, let text): lines[number]?.send(text)
                case .close(let number): lines[number]?.close()
                case .resume(let number): lines[number]?.resume()
                case .stop: isStopping = true
                }
            }
            lines = lines.filter { !$0.value.isOver }
            if !isStopping, lws_service(made.pointee.context, 0) < 0 { isStopping = true }
        }
        // The lines must outlive the context, which calls back while it ends them.
        shared.detach { satchel_ws_free($0) }
        for line in lines.values { line.end(WebSocket.Ending(.cut, "the service ended")) }
    }
}
