internal import CCurl
internal import Glibc

/// One request under way: curl's handle, and what has come so far.
///
/// curl keeps a pointer to it, so it must live until the handle is taken out of its multi.
final class Transfer {
    let ticket: Int
    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let limit: Int
    private var list: UnsafeMutablePointer<curl_slist>?
    private var sent = 0
    private var isTooLarge = false
    private(set) var response = HTTPResponse(status: 0)

    /// Makes it; an answer may have `limit` bytes, unpacked.
    ///
    /// - Throws: Kind `.other` when curl has no memory.
    init(_ ticket: Int, _ request: HTTPRequest, limit: Int) throws(HTTPFailure) {
        guard let handle = curl_easy_init() else {
            throw HTTPFailure(.other, "curl cannot begin a request", isUnsent: true)
        }
        self.ticket = ticket
        self.handle = handle
        self.request = request
        self.limit = limit
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(list)
    }

    /// Tells curl what to send and how; the settings that no configuration can weaken are here.
    func prepare(_ limits: HTTPClient.Limits) {
        text(CURLOPT_URL, request.url)
        // Nothing but HTTP, to nobody but the host that was named: a redirect would take the
        // credentials elsewhere.
        text(CURLOPT_PROTOCOLS_STR, "http,https")
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_SSL_VERIFYPEER, 1)
        number(CURLOPT_SSL_VERIFYHOST, 2)
        if let file = limits.caFile { text(CURLOPT_CAINFO, file) }
        number(CURLOPT_NETRC, 0)
        number(CURLOPT_NOSIGNAL, 1)
        // A name server that does not answer must not hold up who gives up.
        number(CURLOPT_QUICK_EXIT, 1)
        number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        number(CURLOPT_PIPEWAIT, 1)
        number(CURLOPT_TCP_KEEPALIVE, 1)
        // What is packed comes when there is enough of it, not when it is said.
        if !request.isStream { text(CURLOPT_ACCEPT_ENCODING, "gzip") }
        number(
            CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: min(limits.connectTimeout, request.timeout)))
        if request.isStream {
            // A line that was cut in silence is found by asking over it.
            number(CURLOPT_TCP_KEEPIDLE, 30)
            number(CURLOPT_TCP_KEEPINTVL, 10)
        } else {
            number(CURLOPT_TIMEOUT_MS, Int(clamping: request.timeout))
        }
        number(CURLOPT_POST, 1)
        number(CURLOPT_POSTFIELDSIZE, request.body.count)
        for header in request.headers { add("\(header.name): \(header.value)") }
        // curl would ask before a long body and wait for leave that never comes.
        add("Expect:")
        satchel_curl_headers(handle, list)
        let context = Unmanaged.passUnretained(self).toOpaque()
        satchel_curl_callbacks(
            handle,
            { bytes, size, count, context in
                Transfer.of(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            { bytes, size, count, context in
                Transfer.of(context).takeHeader(
                    UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            { place, size, count, context in
                Transfer.of(context).give(
                    UnsafeMutableRawBufferPointer(start: place, count: size * count))
            }, context)
        guard !request.hasEffect else { return }
        // A query may go out again when a kept connection turns out to be dead; without a way to
        // rewind, curl lets a mutation fail instead.
        request.body.withUnsafeBytes { body in
            _ = satchel_curl_pointer(
                handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
        }
    }

    /// What it came to, once curl has ended it.
    func outcome(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        if code == CURLE_OK {
            response.status = Int(satchel_curl_info(handle, CURLINFO_RESPONSE_CODE))
            return .success(response)
        }
        let status = Int(satchel_curl_info(handle, CURLINFO_RESPONSE_CODE))
        if isTooLarge, status != 200, status != 0 {
            // However long it is, the status says what it comes to.
            response.status = status
            response.body = []
            return .success(response)
        }
        let isUnsent = satchel_curl_info(handle, CURLINFO_REQUEST_SIZE) == 0
        let words = String(cString: curl_easy_strerror(code))
        return .failure(
            HTTPFailure(kind(of: code), Self.plain(words), isUnsent: isUnsent))
    }

    /// What has come of the answer since this was asked last; the status is 0 before there is one.
    func takeStreamed() -> (status: Int, bytes: [UInt8]) {
        let bytes = response.body
        response.body = []
        return (Int(satchel_curl_info(handle, CURLINFO_RESPONSE_CODE)), bytes)
    }

    private func kind(of code: CURLcode) -> HTTPFailure.Kind {
        switch code {
        case _ where isTooLarge: .tooLarge
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
            CURLE_PROXY:
            .unreachable
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: .untrusted
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED: .insecure
        case CURLE_SSL_CACERT_BADFILE: .authorities
        case CURLE_OPERATION_TIMEDOUT: .late
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
            CURLE_SEND_FAIL_REWIND, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_WEIRD_SERVER_REPLY:
            .cut
        default: .other
        }
    }

    /// curl's words begin in upper case, as a sentence of their own.
    private static func plain(_ words: String) -> String {
        guard let first = words.first, let second = words.dropFirst().first, second.isLowercase
        else { return words }
        return first.lowercased() + words.dropFirst()
    }
}

extension Transfer {
    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
        // It is what `prepare` gave.
        Unmanaged<Transfer>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Takes bytes of the body; fewer than there are end the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard response.body.count + bytes.count <= limit else {
            isTooLarge = true
            return 0
        }
        response.body.append(contentsOf: bytes)
        return bytes.count
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.utf8.starts(with: "HTTP/".utf8) {
            response.headers = []
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")),
            response.headers.count < 200
        {
            let value = line[line.utf8.index(after: colon)...]
            response.headers.append(
                HTTPHeader(String(line[..<colon]), value.trimmedText))
        }
        return bytes.count
    }

    private func give(_ place: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(place.count, request.body.count - sent)
        place.copyBytes(from: request.body[sent..<sent + count])
        sent += count
        return count
    }

    private func add(_ header: String) { list = curl_slist_append(list, header) }

    private func text(_ option: CURLoption, _ value: String) {
        _ = satchel_curl_text(handle, option, value)
    }

    private func number(_ option: CURLoption, _ value: Int) {
        _ = satchel_curl_number(handle, option, value)
    }
}

extension Substring {
    /// Without white space at its ends.
    var trimmedText: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
        let bytes = utf8.drop(while: isSpace)
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(bytes[...last]) ?? String(self)
    }
}
