internal import CCurl

/// Sends requests, several at a time, over connections that are kept.
///
/// A proxy comes from the environment, as curl takes it.
package final class HTTPClient {
    package struct Limits: Sendable {
        /// Connections to the host at a time.
        package var connections: Int
        /// Milliseconds until a connection must stand.
        package var connectTimeout: Int64
        /// Bytes that an answer may have, unpacked.
        package var responseBytes: Int
        /// A file of certificates that are trusted instead of the system's.
        package var caFile: String?

        package init(
            connections: Int = 8, connectTimeout: Int64 = 10_000,
            responseBytes: Int = 32 << 20, caFile: String? = nil
        ) {
            self.connections = connections
            self.connectTimeout = connectTimeout
            self.responseBytes = responseBytes
            self.caFile = caFile
        }
    }

    /// A request that has ended.
    package struct Completion {
        /// What `begin` gave.
        package var ticket: Int
        package var outcome: Result<HTTPResponse, HTTPFailure>
    }

    private let limits: Limits
    private let multi: UnsafeMutableRawPointer
    private var transfers: [Int: Transfer] = [:]
    private var nextTicket = 1

    private static let isReady = satchel_curl_begin() != 0

    package init(_ limits: Limits = Limits()) throws(HTTPFailure) {
        guard Self.isReady, let multi = curl_multi_init() else {
            throw HTTPFailure(.other, "curl cannot be used", isUnsent: true)
        }
        self.limits = limits
        self.multi = multi
        _ = satchel_curl_multi_number(
            multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, limits.connections))
        _ = satchel_curl_multi_number(
            multi, CURLMOPT_MAXCONNECTS, max(1, limits.connections))
    }

    deinit {
        for transfer in transfers.values {
            curl_multi_remove_handle(multi, transfer.handle)
        }
        curl_multi_cleanup(multi)
    }

    /// Requests under way.
    package var count: Int { transfers.count }

    /// Sends a request; `next` tells what it came to.
    ///
    /// - Returns: A number that names it from now on.
    package func begin(_ request: HTTPRequest) throws(HTTPFailure) -> Int {
        let ticket = nextTicket
        nextTicket += 1
        let transfer = try Transfer(ticket, request, limit: limits.responseBytes)
        transfer.prepare(limits)
        guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
            throw HTTPFailure(.other, "curl cannot begin a request", isUnsent: true)
        }
        transfers[ticket] = transfer
        perform()
        return ticket
    }

    /// The next request that has ended, waiting at most `milliseconds` for it.
    package func next(within milliseconds: Int32) -> Completion? {
        perform()
        if let completion = ended() { return completion }
        guard !transfers.isEmpty else { return nil }
        curl_multi_poll(multi, nil, 0, milliseconds, nil)
        perform()
        return ended()
    }

    /// Lets time pass while requests under way move on.
    package func pause(_ milliseconds: Int32) {
        curl_multi_poll(multi, nil, 0, milliseconds, nil)
        perform()
    }

    /// Sends a request and waits for its answer; there is no other under way.
    package func answer(to request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        let ticket = try begin(request)
        var ended: Completion?
        while ended == nil { ended = next(within: 200) }
        guard let ended, ended.ticket == ticket else {
            throw HTTPFailure(.cut, "no answer", isUnsent: false)
        }
        return try ended.outcome.get()
    }

    /// Gives a request up; its connection is closed, for its answer may still come.
    package func abandon(_ ticket: Int) {
        guard let transfer = transfers.removeValue(forKey: ticket) else { return }
        curl_multi_remove_handle(multi, transfer.handle)
    }

    /// Lets the transfers move on, without waiting.
    package func advance() { perform() }

    /// What has come of a stream's answer since this was asked last; nil for one that has ended.
    package func streamed(_ ticket: Int) -> (status: Int, bytes: [UInt8])? {
        transfers[ticket]?.takeStreamed()
    }

    /// The sockets that become readable when there is something to do.
    package var descriptors: [Int32] {
        let most = 64
        return [Int32](unsafeUninitializedCapacity: most) { buffer, count in
            count = Int(satchel_curl_sockets(multi, buffer.baseAddress, Int32(most)))
        }
    }

    private func perform() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
    }

    private func ended() -> Completion? {
        var code = CURLE_OK
        guard let context = satchel_curl_ended(multi, &code) else { return nil }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        curl_multi_remove_handle(multi, transfer.handle)
        transfers[transfer.ticket] = nil
        return Completion(ticket: transfer.ticket, outcome: transfer.outcome(code))
    }
}
