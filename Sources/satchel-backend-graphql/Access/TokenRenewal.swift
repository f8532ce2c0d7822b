package import JSON
package import PluginKit

/// How a token is changed for a fresh one: by the refresh token that came with it.
package struct TokenRenewal: Sendable {
    package enum Issuer: Sendable, Equatable {
        /// User pools of Cognito, which speak a protocol of AWS's own.
        case userPool
        /// Any that follows OAuth 2: https://www.rfc-editor.org/rfc/rfc6749#section-6
        case oauth
    }

    package let issuer: Issuer
    package let endpoint: Endpoint
    package let clientID: String
    package let clientSecret: String?
    package let refreshToken: String

    /// What an issuer gave.
    package struct Tokens: Sendable, Equatable {
        package var access: String?
        package var identity: String?
        /// Another one for the next time, where the issuer changes it.
        package var refresh: String?
        /// Seconds that they are good for.
        package var lifetime: Int64?

        /// The one of the same use as `old`.
        package func replacing(_ old: Access?) -> String? {
            old?.claims["token_use"] == "id" ? identity ?? access : access ?? identity
        }
    }

    package init(
        _ issuer: Issuer, _ endpoint: Endpoint, clientID: String, clientSecret: String? = nil,
        refreshToken: String
    ) {
        self.issuer = issuer
        self.endpoint = endpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
    }

    /// Asks for fresh tokens, once.
    ///
    /// - Throws: Kind `.auth` where the issuer refuses, `.retryable` where it does not answer.
    package func ask(_ http: HTTPClient) throws(PluginError) -> Tokens {
        let response: HTTPResponse
        do throws(HTTPFailure) { response = try http.answer(to: request) } catch {
            throw Reply.Failure(error, host: endpoint.host).error.doing("cannot renew the token")
        }
        return try tokens(response)
    }

    package var request: HTTPRequest {
        switch issuer {
        case .userPool:
            return Self.request(
                toUserPool: endpoint, action: "InitiateAuth",
                [
                    "AuthFlow": "REFRESH_TOKEN_AUTH", "ClientId": .string(clientID),
                    "AuthParameters": ["REFRESH_TOKEN": .string(refreshToken)],
                ])
        case .oauth:
            var pairs = [
                ("grant_type", "refresh_token"), ("client_id", clientID),
                ("refresh_token", refreshToken),
            ]
            if let clientSecret { pairs.append(("client_secret", clientSecret)) }
            let text = pairs.map { "\($0)=\(SignatureV4.escaped($1))" }.joined(separator: "&")
            return Self.request(
                endpoint, [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
                Array(text.utf8))
        }
    }

    /// A call of Cognito's own protocol.
    static func request(
        toUserPool endpoint: Endpoint, action: String, _ question: JSONValue
    ) -> HTTPRequest {
        request(
            endpoint,
            [
                HTTPHeader("Content-Type", "application/x-amz-json-1.1"),
                HTTPHeader("X-Amz-Target", "AWSCognitoIdentityProviderService.\(action)"),
            ], question.bytes())
    }

    private static func request(
        _ endpoint: Endpoint, _ headers: [HTTPHeader], _ body: [UInt8]
    ) -> HTTPRequest {
        let usual = [HTTPHeader("Accept", "application/json"), HTTPHeader("User-Agent", "satchel")]
        return HTTPRequest(
            url: endpoint.url, headers: usual + headers, body: body, timeout: 10_000,
            hasEffect: true)
    }

    /// What an issuer answers; `failure` says in words what it does not do.
    ///
    /// - Throws: Kind `.auth` where it refuses, `.retryable` where it fails.
    static func content(
        of response: HTTPResponse, _ endpoint: Endpoint, _ failure: String
    ) throws(PluginError) -> JSONValue {
        let json: JSONValue?
        do throws(JSONError) { json = try JSONValue.parse(response.body) } catch { json = nil }
        guard response.status == 200 else {
            // Words of the issuer's, never of the request's: that held a secret.
            let words =
                json?["message"]?.text ?? json?["error_description"]?.text ?? json?["error"]?.text
            let isRefused = 400..<500 ~= response.status && response.status != 429
            throw PluginError(
                isRefused ? .auth : .retryable,
                "\(endpoint.host) \(failure): "
                    // Cut between words, if at all: half a secret the host would not know for one.
                    + (words.map { ServerWords.cut($0) } ?? "status \(response.status)"),
                // One that fails may be there again before anybody has logged in.
                hint: isRefused ? "satchel auth login" : nil)
        }
        return json ?? .null
    }

    package func tokens(_ response: HTTPResponse) throws(PluginError) -> Tokens {
        let json = try Self.content(of: response, endpoint, "does not renew the token")
        let tokens =
            issuer == .userPool
            ? Tokens(userPool: json["AuthenticationResult"] ?? .null) : Tokens(oauth: json)
        guard let tokens else {
            throw PluginError(.retryable, "\(endpoint.host) renews the token with none")
        }
        return tokens
    }
}

extension TokenRenewal.Tokens {
    /// As a user pool tells them; nil for none.
    package init?(userPool json: JSONValue) {
        access = json["AccessToken"]?.text
        identity = json["IdToken"]?.text
        refresh = json["RefreshToken"]?.text
        lifetime = json["ExpiresIn"]?.integer
        if access == nil, identity == nil { return nil }
    }

    /// As OAuth 2 has them; nil for none.
    package init?(oauth json: JSONValue) {
        access = json["access_token"]?.text
        identity = json["id_token"]?.text
        refresh = json["refresh_token"]?.text
        lifetime = json["expires_in"]?.integer
        if access == nil, identity == nil { return nil }
    }
}
