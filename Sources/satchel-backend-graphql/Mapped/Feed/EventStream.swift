internal import JSON
internal import PluginKit

/// Subscriptions as server-sent events, a request for each.
///
/// It is the distinct connections mode of
/// https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
final class EventStream: LiveStream {
    private let http: HTTPClient
    private var readers: [EventReader]
    private var tickets: [Int] = []
    /// The places of requests that the API has begun to answer.
    private var standing: Set<Int> = []
    private var turns = 0
    private var isOver = false

    /// Bytes that one event may have.
    private static let longest = 4 << 20

    init(
        _ requests: [GraphQLRequest], to endpoint: Endpoint, headers: [HTTPHeader],
        caFile: String?
    ) throws(HTTPFailure) {
        http = try HTTPClient(
            HTTPClient.Limits(
                connections: requests.count, responseBytes: 2 * Self.longest, caFile: caFile))
        readers = requests.map { _ in EventReader(limit: Self.longest) }
        for request in requests {
            let common = [
                HTTPHeader("Content-Type", "application/json; charset=UTF-8"),
                HTTPHeader("Accept", "text/event-stream"), HTTPHeader("User-Agent", "satchel"),
            ]
            var message = HTTPRequest(
                url: endpoint.url, headers: common + headers, body: request.body)
            message.isStream = true
            // A second try of curl's own would hide a gap.
            message.hasEffect = true
            tickets.append(try http.begin(message))
        }
    }

    var descriptors: [Int32] { isOver ? [] : http.descriptors }
    // At first, what there is to do is not always to read. Some APIs begin to answer only when they have
    // something to say.
    var pause: Int64 { standing.count == tickets.count ? 5_000 : turns < 40 ? 50 : 1_000 }

    func close() {
        isOver = true
        for ticket in tickets { http.abandon(ticket) }
    }

    func advance() -> [LiveSignal] {
        guard !isOver else { return [] }
        http.advance()
        turns += 1
        var signals: [LiveSignal] = []
        for (place, ticket) in tickets.enumerated() {
            guard let (status, bytes) = http.streamed(ticket) else { continue }
            if status != 0, status != 200 {
                return end("it answers with status \(status)", signals)
            }
            if status == 200, standing.insert(place).inserted { signals.append(.opened) }
            for event in readers[place].take(bytes) {
                switch event.name {
                case "next", "message":
                    guard let answer = Self.answer(event.data) else {
                        return end("it sends what is no result", signals)
                    }
                    signals.append(.result(place, answer))
                case "complete": return end("it ended a subscription", signals)
                default: break
                }
            }
            if readers[place].isTooLong { return end("it sends too long an event", signals) }
        }
        if let completion = http.next(within: 0) {
            switch completion.outcome {
            case .success(let response) where response.status != 200:
                return end("it answers with status \(response.status)", signals)
            case .success(let response):
                let type = response.header("Content-Type") ?? ""
                return end(
                    type.range(ofText: "event-stream") == nil
                        ? "it does not answer with server-sent events" : "it hung up", signals)
            case .failure(let failure): return end(failure.message, signals)
            }
        }
        return signals
    }

    private func end(_ reason: String, _ signals: [LiveSignal]) -> [LiveSignal] {
        close()
        return signals + [.ended(reason)]
    }

    static func answer(_ bytes: [UInt8]) -> GraphQLAnswer? {
        do throws(JSONError) { return GraphQLAnswer(try JSONValue.parse(bytes)) } catch {
            return nil
        }
    }
}
