package import JSON

/// What a server answered to a document: data, errors, or both.
package struct GraphQLAnswer: Sendable, Equatable {
    package var data: JSONObject
    package var errors: [GraphQLFault]

    package init(data: JSONObject = JSONObject(), errors: [GraphQLFault] = []) {
        self.data = data
        self.errors = errors
    }

    /// Nil when the value is no answer of GraphQL.
    package init?(_ json: JSONValue) {
        guard let members = json.members else { return nil }
        let errors = members["errors"]?.elements ?? []
        guard members["data"] != nil || !errors.isEmpty else { return nil }
        self.init(
            data: members["data"]?.members ?? JSONObject(), errors: errors.map(GraphQLFault.init))
    }

    /// The value at a path of names; nil where there is none or null.
    package func value(at path: [String]) -> JSONValue? {
        var value = JSONValue.object(data)
        for name in path {
            guard let inner = value[name], !inner.isNull else { return nil }
            value = inner
        }
        return value
    }

    /// The first error that is about the whole of a root field, or about the whole document.
    package func fault(of root: String) -> GraphQLFault? {
        errors.first { $0.path.isEmpty || $0.isAbout([.string(root)]) }
            ?? errors.first { $0.path.first == .string(root) }
    }
}

/// One item of `errors`.
///
/// AppSync puts its `errorType` beside the message, others a `code` into `extensions`.
package struct GraphQLFault: Sendable, Equatable {
    package var message: String
    /// Such as `ConflictUnhandled`, without the name of a data source before it.
    package var type: String
    package var path: [JSONValue]
    /// What the server has instead, where it tells.
    package var data: JSONValue?

    package init(
        _ message: String, type: String = "", path: [JSONValue] = [], data: JSONValue? = nil
    ) {
        self.message = ServerWords.cut(message)
        self.type = ServerWords.name(type)
        self.path = path
        self.data = data
    }

    package init(_ json: JSONValue) {
        let code = json["errorType"]?.text ?? json["extensions"]?["code"]?.text ?? ""
        let type = code.split(separator: ":").last.map(String.init) ?? ""
        let data = json["data"]
        self.init(
            json["message"]?.text ?? "the server gives no reason", type: type,
            path: json["path"]?.elements ?? [], data: data?.isNull == false ? data : .none)
    }

    package func isAbout(_ path: [JSONValue]) -> Bool { self.path == path }

    /// True when it is about a part of what a root field gives.
    package func isBelow(_ root: String) -> Bool {
        path.count > 1 && path[0] == .string(root)
    }
}

extension GraphQLFault {
    /// What a fault means for what was asked.
    package enum Kind: Sendable, Equatable {
        /// Another write came first.
        case conflict
        /// A condition on the record did not hold: another write, or the record is there already.
        case condition
        /// This user may not do that.
        case permission
        /// Nobody is logged in.
        case auth
        /// Not done now; it may be done later.
        case throttled
        /// The server failed: whether there was an effect is not known.
        case failure
        case tooLarge
        /// The request does not fit the schema.
        case invalid
        case disabled
        /// It was done, but the answer cannot be given.
        case unreadable
        /// A page's token is not taken any more.
        case badToken
        case other
    }

    package var kind: Kind {
        if let kind = Self.kinds[type] { return kind }
        let (type, message) = (Self.beginning(of: type), Self.beginning(of: message))
        if Self.throttles.contains(where: { type.range(ofText: $0) != nil }) { return .throttled }
        return Self.phrases.first { message.range(ofText: $0.0) != nil }?.1 ?? .other
    }

    /// As much of a text as is searched; megabytes of it would take seconds.
    private static func beginning(of text: String) -> String {
        text.utf8.count <= 4_096
            ? text : String(decoding: text.utf8.prefix(4_096), as: UTF8.self)
    }

    private static let kinds: [String: Kind] = [
        "ConflictUnhandled": .conflict,
        "ConflictError": .conflict,
        "ConditionalCheckFailedException": .condition,
        "Unauthorized": .permission,
        "AccessDeniedException": .permission,
        "UnauthorizedException": .auth,
        "UNAUTHENTICATED": .auth,
        "FORBIDDEN": .permission,
        "InternalFailure": .failure,
        "InternalServerError": .failure,
        "InternalServerException": .failure,
        "INTERNAL_SERVER_ERROR": .failure,
        "ServiceUnavailable": .failure,
        "ServiceUnavailableException": .failure,
        "ExecutionTimeout": .failure,
        "TransactionConflictException": .throttled,
        "RequestLimitExceeded": .throttled,
        "TooManyRequestsException": .throttled,
        "LimitExceededException": .throttled,
        "RequestEntityTooLargeException": .tooLarge,
        "ResolverExecutionLimitReached": .tooLarge,
        "OperationDisabled": .disabled,
        "GRAPHQL_VALIDATION_FAILED": .invalid,
        "BAD_USER_INPUT": .invalid,
        // Hasura's: https://hasura.io/docs/2.0/api-reference/graphql-api/
        "access-denied": .auth,
        "invalid-headers": .auth,
        "invalid-jwt": .auth,
        "jwt-missing-role-claims": .auth,
        "permission-error": .permission,
        "validation-failed": .invalid,
        "unexpected": .failure,
    ]
    private static let throttles = ["Throttl", "ThroughputExceeded"]

    private static let phrases: [(String, Kind)] = [
        ("pagination token", .badToken),
        ("Invalid nextToken", .badToken),
        ("Transformation too large", .tooLarge),
        ("Cannot return null for non-nullable", .unreadable),
        ("Can't serialize value", .unreadable),
        ("Validation error of type", .invalid),
        ("Variable '", .invalid),
        ("has an invalid value", .invalid),
        ("Not Authorized to access", .permission),
        ("Execution timed out", .failure),
        ("Execution timeout", .failure),
        ("OperationDisabled", .disabled),
    ]
}
