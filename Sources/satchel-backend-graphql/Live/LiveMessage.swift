package import JSON

/// What a server says over AppSync's real-time protocol.
///
/// https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
package enum LiveMessage: Sendable, Equatable {
    /// The connection is taken; milliseconds after which a silent one counts as dead.
    case acknowledged(timeout: Int64?)
    case refused([LiveFault])
    case keepAlive
    case started(id: String)
    /// `data` and `errors` of a mutation.
    case data(id: String, GraphQLAnswer)
    case completed(id: String)
    /// Of one subscription, or of none that is told.
    case failed(id: String?, [LiveFault])
    /// It cannot be understood: an event may have been in it.
    case garbage

    package init(_ bytes: [UInt8]) {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue.parse(bytes) } catch {
            self = .garbage
            return
        }
        let payload = json["payload"]
        let id = json["id"]?.text
        switch (json["type"]?.text, id) {
        case ("connection_ack", _):
            self = .acknowledged(timeout: payload?["connectionTimeoutMs"]?.integer)
        case ("connection_error", _): self = .refused(Self.faults(payload))
        case ("ka", _): self = .keepAlive
        case ("start_ack", let id?): self = .started(id: id)
        case ("data", let id?): self = .data(id: id, Self.answer(payload))
        case ("complete", let id?): self = .completed(id: id)
        case ("error", let id): self = .failed(id: id, Self.faults(payload))
        default: self = .garbage
        }
    }

    /// The errors of a payload: AppSync sends a list, or one that is no list, or none.
    private static func faults(_ payload: JSONValue?) -> [LiveFault] {
        guard let errors = payload?["errors"] else { return [] }
        let list = errors.elements ?? [errors]
        return list.prefix(10).map(LiveFault.init)
    }

    private static func answer(_ payload: JSONValue?) -> GraphQLAnswer {
        payload.flatMap(GraphQLAnswer.init) ?? GraphQLAnswer()
    }
}

/// Why a connection or a subscription is refused.
package struct LiveFault: Sendable, Equatable {
    package var type: String
    package var message: String
    package var code: Int64?

    package init(type: String, message: String = "", code: Int64? = nil) {
        self.type = ServerWords.name(type)
        self.message = ServerWords.cut(message)
        self.code = code
    }

    package init(_ json: JSONValue) {
        let words = json["message"]?.text ?? json.text ?? ""
        let type = json["errorType"]?.text ?? ""
        self.init(
            type: String(type.split(separator: ":").last.map(String.init) ?? ""),
            message: words, code: json["errorCode"]?.integer)
    }

    /// What is to be done about it.
    package enum Kind: Sendable, Equatable {
        /// The credentials are not taken, or no more.
        case auth
        /// These credentials may not subscribe to that.
        case permission
        /// The filter is not taken.
        case filter
        /// The connection carries as many subscriptions as it may.
        case full
        /// Asked too fast.
        case rate
        /// The API has no such subscription.
        case invalid
        /// It may pass.
        case failure
    }

    package var kind: Kind {
        let said: (String) -> Bool = { message.range(ofText: $0) != nil }
        switch type {
        case "MaxSubscriptionsReachedError": return .full
        case "LimitExceededError", "TooManyRequestsException", "ThrottlingException": return .rate
        case "Unauthorized": return .permission
        case "UnauthorizedException", "UnrecognizedClientException", "InvalidSignatureException",
            "ExpiredTokenException", "IncompleteSignatureException",
            "MissingAuthenticationTokenException", "AccessDeniedException":
            return .auth
        default: break
        }
        // https://docs.aws.amazon.com/appsync/latest/devguide/aws-appsync-real-time-enhanced-filtering.html
        let isFilter =
            said("argument filter") || said("maximum attributes limit")
            || said("combination exceed maximum limit") || said("same fieldName multiple time")
        if isFilter { return .filter }
        if said("Not Authorized to access") { return .permission }
        if said("Validation error") || said("Unknown ") || said("FieldUndefined")
            || said("Cannot query field") || type == "UnsupportedOperation"
        {
            return .invalid
        }
        if code == 401 || code == 403 { return .auth }
        return .failure
    }

    /// For a log: at most a line.
    package var words: String { message.isEmpty ? type : message }
}
