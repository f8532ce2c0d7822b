internal import JSON
package import PluginKit

/// What an HTTP answer comes to: an answer of GraphQL, or why the whole request failed.
package enum Reply: Sendable, Equatable {
    case answer(GraphQLAnswer)
    case failure(Failure)

    package struct Failure: Error, Sendable, Equatable {
        package var error: PluginError
        /// The request surely had no effect: it may go again as it is.
        package var isWithoutEffect: Bool
        /// The server does not take the time of the signature.
        package var blamesClock = false

        package init(_ error: PluginError, isWithoutEffect: Bool, blamesClock: Bool = false) {
            self.error = error
            self.isWithoutEffect = isWithoutEffect
            self.blamesClock = blamesClock
        }
    }

    /// Judges an answer by its status and its body.
    package init(_ response: HTTPResponse, host: String) {
        var fault: JSONError?
        let isTooMuch = AnswerSize.isTooMuch(response.body)
        if isTooMuch, response.status == 200 {
            self = .failure(
                Failure(
                    PluginError(
                        .tooLarge, "the answer of \(host) has more values than are taken",
                        hint: "\(AnswerSize.mostValues) are"),
                    isWithoutEffect: false))
            return
        }
        let body = isTooMuch ? .none : Self.parsed(response.body, &fault)
        let answer = body.flatMap(GraphQLAnswer.init)
        if response.status == 200 {
            guard let answer else {
                if let fault, [.duplicateKey, .tooDeep, .invalidUTF8].contains(fault.kind) {
                    // It is the API's own answer, and will be the same again.
                    self = .failure(
                        Failure(
                            PluginError(
                                .permanent,
                                "the answer of \(host) cannot be read: \(fault.message)",
                                hint: "it is a fault of the API: tell whoever runs it"),
                            isWithoutEffect: false))
                    return
                }
                self = .failure(
                    Failure(
                        PluginError(
                            .retryable, "\(host) answered with what is no answer of GraphQL",
                            hint: "a proxy or a sign-in page may stand between"),
                        isWithoutEffect: false))
                return
            }
            if let fault = answer.errors.first(where: { $0.path.isEmpty && $0.kind == .auth }) {
                self = .failure(
                    Failure(Self.refused(fault.message, host), isWithoutEffect: true))
            } else {
                self = .answer(answer)
            }
            return
        }
        self = .failure(Self.failure(response, answer?.errors.first ?? Self.plain(body), host))
    }

    private static func parsed(_ bytes: [UInt8], _ fault: inout JSONError?) -> JSONValue? {
        do throws(JSONError) { return try JSONValue.parse(bytes) } catch {
            if let rest = UnreadableItem.read(bytes) { return rest }
            fault = error
            return nil
        }
    }

    /// What AWS's front door says where it is not yet GraphQL: `{"__type":…,"message":…}`.
    private static func plain(_ body: JSONValue?) -> GraphQLFault? {
        guard let message = body?["message"]?.text ?? body?["Message"]?.text else { return nil }
        let type = body?["__type"]?.text?.split(separator: "#").last.map(String.init)
        return GraphQLFault(message, type: type ?? "")
    }

    private static func failure(
        _ response: HTTPResponse, _ fault: GraphQLFault?, _ host: String
    ) -> Failure {
        let status = response.status
        let words = fault.map { ": \($0.message)" } ?? ""
        let said = "\(host) answered with status \(status)\(words)"
        switch status {
        case 401: return Failure(refused(fault?.message, host), isWithoutEffect: true)
        case 403:
            if let fault, isAboutCredentials(fault) {
                return Failure(
                    refused(fault.message, host), isWithoutEffect: true,
                    blamesClock: isAboutTime(fault))
            }
            // A rule of a firewall, such as one on how much is asked, judges no edit.
            if let fault, fault.type.hasPrefix("WAF") {
                return Failure(
                    PluginError(
                        .retryable, said,
                        hint:
                            "a firewall before the API refuses it, for how much is asked or for what "
                            + "is in it: ask whoever runs the API"),
                    isWithoutEffect: true)
            }
            // A page of a proxy or of a hotel says nothing of what the API thinks.
            guard fault != nil else {
                return Failure(PluginError(.retryable, said), isWithoutEffect: false)
            }
            return Failure(PluginError(.permanent, said), isWithoutEffect: true)
        case 413:
            return Failure(
                PluginError(.tooLarge, "\(host) does not take a request of this size"),
                isWithoutEffect: true)
        case 429:
            return Failure(
                PluginError(.rateLimited(afterMilliseconds: delay(response) ?? 1_000), said),
                isWithoutEffect: true)
        case 503:
            guard let delay = delay(response) else { fallthrough }
            return Failure(
                PluginError(.rateLimited(afterMilliseconds: delay), said), isWithoutEffect: true)
        case 408, 425, 500...599, 300...399:
            return Failure(PluginError(.retryable, said), isWithoutEffect: 300...399 ~= status)
        case 404:
            return Failure(
                // It may be the address that is wrong: no edit is refused for that.
                PluginError(
                    .retryable, "there is no GraphQL API at this address of \(host)",
                    hint: "satchel config set config.url URL"),
                isWithoutEffect: true)
        default:
            guard fault != nil else {
                return Failure(PluginError(.retryable, said), isWithoutEffect: false)
            }
            return Failure(PluginError(.permanent, said), isWithoutEffect: true)
        }
    }

    private static func refused(_ message: String?, _ host: String) -> PluginError {
        PluginError(
            .auth,
            message.map { "\(host) refuses the credentials: \($0)" }
                ?? "\(host) refuses the credentials",
            hint: "satchel auth login")
    }

    private static func isAboutCredentials(_ fault: GraphQLFault) -> Bool {
        [
            "UnrecognizedClient", "InvalidSignature", "IncompleteSignature",
            "SignatureDoesNotMatch",
            "ExpiredToken", "MissingAuthenticationToken", "InvalidClientTokenId", "RequestExpired",
            "RequestTimeTooSkewed",
        ].contains { fault.type.range(ofText: $0) != nil }
    }

    private static func isAboutTime(_ fault: GraphQLFault) -> Bool {
        let isSignature = fault.type.range(ofText: "Signature") != nil
        return fault.type.range(ofText: "RequestExpired") != nil
            || fault.type.range(ofText: "TimeTooSkewed") != nil
            || isSignature && fault.message.range(ofText: "xpired") != nil
            || isSignature && fault.message.range(ofText: "not yet current") != nil
    }

    /// Milliseconds that `Retry-After` asks for: seconds, or a date; a second at least, for a pause of
    /// none would be asked for again and again at once, and an hour at most.
    private static func delay(_ response: HTTPResponse) -> Int64? {
        guard let text = response.header("Retry-After") else { return nil }
        let (second, hour): (Int64, Int64) = (1_000, 3_600_000)
        if !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            // One that no number holds is as long as any.
            return max(second, min(Int64(text) ?? 3_600, 3_600) * 1_000)
        }
        guard let then = AmazonTime.milliseconds(ofHeader: text),
            let now = response.header("Date").flatMap(AmazonTime.milliseconds(ofHeader:))
        else { return nil }
        return min(max(second, then - now), hour)
    }
}

extension Reply.Failure {
    /// A request that got no answer.
    package init(_ failure: HTTPFailure, host: String) {
        let (kind, words, hint): (PluginError.Kind, String, String?) =
            switch failure.kind {
            case .unreachable: (.retryable, "cannot reach \(host)", nil)
            case .untrusted:
                (
                    .retryable, "the certificate of \(host) is not trusted",
                    "nothing was sent; where the certificate is your own, name the file with its "
                        + "issuer: satchel config set config.ca_file FILE"
                )
            case .insecure:
                (
                    .retryable, "there is no secure connection to \(host)",
                    "the address may be of a server that speaks no TLS: "
                        + "satchel config set config.url URL"
                )
            case .authorities:
                (
                    .retryable, "config.ca_file cannot be used",
                    "it is a file of certificates in PEM format: "
                        + "satchel config set config.ca_file FILE"
                )
            case .late: (.retryable, "\(host) did not answer in time", nil)
            case .cut: (.retryable, "the connection to \(host) broke", nil)
            case .tooLarge:
                (
                    .tooLarge, "the answer of \(host) is larger than is taken",
                    "config.response_mb says how many megabytes are"
                )
            case .other: (.retryable, "cannot ask \(host)", nil)
            }
        self.init(
            PluginError(
                kind, failure.kind == .tooLarge ? words : "\(words): \(failure.message)",
                hint: hint),
            isWithoutEffect: failure.isUnsent)
    }
}

extension PluginError {
    /// The same as the reason why something else was not done.
    func doing(_ what: String) -> PluginError {
        // Too large an answer to this is no reason to ask for less of something else.
        PluginError(kind == .tooLarge ? .retryable : kind, "\(what): \(message)", hint: hint)
    }
}
