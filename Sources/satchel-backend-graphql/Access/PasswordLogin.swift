internal import JSON
package import PluginKit

/// A login at a user pool of Cognito with a name and a password, which never travels.
///
/// https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-authentication-flow-methods.html
package struct PasswordLogin: Sendable {
    package let endpoint: Endpoint
    package let clientID: String
    /// The user pool's name, without its region.
    package let pool: String
    package let user: String
    package let password: String

    package init(
        _ endpoint: Endpoint, clientID: String, pool: String, user: String, password: String
    ) {
        self.endpoint = endpoint
        self.clientID = clientID
        self.pool = pool
        self.user = user
        self.password = password
    }

    /// Logs in: asks for a challenge, and answers it.
    ///
    /// `random` are 128 random bytes; `milliseconds` is the present, since 1970.
    ///
    /// - Throws: Kind `.auth` where the user pool refuses, or wants more than a password;
    ///   `.retryable` where it does not answer.
    /// - Returns: The tokens, a refresh token among them.
    package func ask(
        _ http: HTTPClient, random: [UInt8], at milliseconds: Int64
    ) throws(PluginError) -> TokenRenewal.Tokens {
        guard let ours = SecureRemotePassword(secret: random) else { throw Self.unable }
        let first = try answer(
            http, "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(clientID),
                "AuthParameters": [
                    "USERNAME": .string(user), "SRP_A": .string(ours.publicNumber),
                ],
            ])
        let given = first["ChallengeParameters"]
        guard first["ChallengeName"] == "PASSWORD_VERIFIER",
            let name = given?["USER_ID_FOR_SRP"]?.text, let block = given?["SECRET_BLOCK"]?.text,
            let challenge = SecureRemotePassword.Challenge(
                user: name,
                salt: given?["SALT"]?.text.flatMap(Digest.bytes(hexadecimal:)) ?? [],
                publicNumber: given?["SRP_B"]?.text.flatMap(Digest.bytes(hexadecimal:)) ?? [],
                block: Base64URL.bytes(block) ?? [])
        else { throw unexpected(first) }
        let time = AmazonTime.words(milliseconds)
        let proof = ours.proof(challenge, password: password, pool: pool, time: time)
        guard let proof else { throw Self.unable }
        let responses = JSONObject([
            ("USERNAME", .string(given?["USERNAME"]?.text ?? name)), ("TIMESTAMP", .string(time)),
            ("PASSWORD_CLAIM_SECRET_BLOCK", .string(block)),
            ("PASSWORD_CLAIM_SIGNATURE", .string(proof)),
        ])
        let second = try answer(
            http, "RespondToAuthChallenge",
            [
                "ChallengeName": "PASSWORD_VERIFIER", "ClientId": .string(clientID),
                "ChallengeResponses": .object(responses),
            ])
        guard let result = second["AuthenticationResult"], !result.isNull,
            let tokens = TokenRenewal.Tokens(userPool: result)
        else { throw unexpected(second) }
        return tokens
    }

    private func answer(
        _ http: HTTPClient, _ action: String, _ question: JSONValue
    ) throws(PluginError) -> JSONValue {
        let request = TokenRenewal.request(
            toUserPool: endpoint, action: action, question)
        let response: HTTPResponse
        do throws(HTTPFailure) { response = try http.answer(to: request) } catch {
            throw Reply.Failure(error, host: endpoint.host).error.doing("cannot log \(user) in")
        }
        return try TokenRenewal.content(of: response, endpoint, "does not log \(user) in")
    }

    /// Another factor, a new password, or nonsense.
    private func unexpected(_ answer: JSONValue) -> PluginError {
        let wanted = answer["ChallengeName"]?.text.map { String($0.prefix(100)) }
        guard let wanted, wanted != "PASSWORD_VERIFIER" else {
            return PluginError(.retryable, "\(endpoint.host) answers a login with none")
        }
        return PluginError(
            .auth, "the user pool wants more than a password of \(user): \(wanted)",
            hint: "give a refresh token: satchel config unset config.user && satchel auth login")
    }

    private static var unable: PluginError {
        PluginError(.permanent, "libcrypto cannot prove a password")
    }
}
