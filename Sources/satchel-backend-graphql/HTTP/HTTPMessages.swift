/// What is sent: always a POST with a body of JSON.
package struct HTTPRequest: Sendable, Equatable {
    package var url: String
    package var headers: [HTTPHeader]
    package var body: [UInt8]
    /// Milliseconds from the start to the whole answer.
    package var timeout: Int64
    /// True when it changes something: then it is never sent a second time behind our back.
    package var hasEffect: Bool
    /// True for an answer that never ends by itself: it has no deadline, and is taken as it comes.
    package var isStream = false

    package init(
        url: String, headers: [HTTPHeader] = [], body: [UInt8] = [], timeout: Int64 = 30_000,
        hasEffect: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.hasEffect = hasEffect
    }
}

package struct HTTPHeader: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What came back, whatever its status.
package struct HTTPResponse: Sendable, Equatable {
    package var status: Int
    /// In the order they came; of several answers, as behind a proxy, those of the last.
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, whatever the case of its letters.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}

/// Why there is no answer.
package struct HTTPFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The host has no address, or nothing listens there.
        case unreachable
        /// The certificate does not prove that the host is who it should be.
        case untrusted
        /// There is no TLS with it, whatever its certificate.
        case insecure
        /// The file of certificates cannot be read.
        case authorities
        case late
        /// The connection broke.
        case cut
        /// The answer is larger than is taken.
        case tooLarge
        case other
    }

    package var kind: Kind
    package var message: String
    /// True when nothing of the request has left: it had no effect.
    package var isUnsent: Bool

    package init(_ kind: Kind, _ message: String, isUnsent: Bool) {
        self.kind = kind
        self.message = message
        self.isUnsent = isUnsent
    }
}
