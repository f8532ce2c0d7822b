internal import JSON
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
        do throws(HTTPFailure) {
            let ticket = try http.begin(request)
            var ended: HTTPClient.Completion?
            while ended == nil { ended = http.next(within: 200) }
            guard let ended, ended.ticket == ticket else {
                throw HTTPFailure(.cut, "no answer", isUnsent: false)
            }
            response = try ended.outcome.get()
        } catch {
            throw PluginError(
                .retryable, "cannot renew the token at \(endpoint.host): \(error.message)")
        }
        return try tokens(response)
    }

    package var request: HTTPRequest {
        var headers = [
            HTTPHeader("Accept", "application/json"), HTTPHeader("User-Agent", "satchel"),
        ]
        let body: [UInt8]
        switch issuer {
        case .userPool:
            headers += [
                HTTPHeader("Content-Type", "application/x-amz-json-1.1"),
                HTTPHeader("X-Amz-Target", "AWSCognitoIdentityProviderService.InitiateAuth"),
            ]
            let question: JSONValue = [
                "AuthFlow": "REFRESH_TOKEN_AUTH", "ClientId": .string(clientID),
                "AuthParameters": ["REFRESH_TOKEN": .string(refreshToken)],
            ]
            body = question.bytes()
        case .oauth:
            headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
            var pairs = [
                ("grant_type", "refresh_token"), ("client_id", clientID),
                ("refresh_token", refreshToken),
            ]
            if let clientSecret { pairs.append(("client_secret", clientSecret)) }
            let text = pairs.map { "\($0)=\(SignatureV4.escaped($1))" }.joined(separator: "&")
            body = Array(text.utf8)
        }
        return HTTPRequest(
            url: endpoint.url, headers: headers, body: body, timeout: 10_000, hasEffect: true)
    }

    package func tokens(_ response: HTTPResponse) throws(PluginError) -> Tokens {
        let json: JSONValue?
        do throws(JSONError) { json = try JSONValue.parse(response.body) } catch { json = nil }
        guard response.status == 200 else {
            // Words of the issuer's, never of the request's: that held a secret.
            let words =
                json?["message"]?.text ?? json?["error_description"]?.text ?? json?["error"]?.text
            let isRefused = 400..<500 ~= response.status && response.status != 429
            throw PluginError(
                isRefused ? .auth : .retryable,
                "\(endpoint.host) does not renew the token: "
                    + (words.map { String($0.prefix(200)) } ?? "status \(response.status)"),
                hint: "satchel auth login")
        }
        let result = issuer == .userPool ? json?["AuthenticationResult"] : json
        let name: (String, String) -> String? = { theirs, usual in
            result?[issuer == .userPool ? theirs : usual]?.text
        }
        let tokens = Tokens(
            access: name("AccessToken", "access_token"), identity: name("IdToken", "id_token"),
            refresh: name("RefreshToken", "refresh_token"),
            lifetime: (result?["ExpiresIn"] ?? result?["expires_in"])?.integer)
        guard tokens.access != nil || tokens.identity != nil else {
            throw PluginError(.retryable, "\(endpoint.host) renews the token with none")
        }
        return tokens
    }
}
