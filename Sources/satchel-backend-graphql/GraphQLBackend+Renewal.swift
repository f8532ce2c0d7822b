internal import JSON
internal import Platform
internal import PluginKit

extension GraphQLBackend {
    /// Milliseconds between two tries to get other credentials.
    private static let renewalPause: Int64 = 10_000

    /// Gets other credentials of a kind in place of those that were refused: a token for a refresh
    /// token, or what the files of AWS hold by now.
    ///
    /// - Returns: False where there are none.
    func renewAccess(_ mode: Access.Mode?) -> Bool {
        let now = Clock.system.monotonic()
        guard let connection, now >= nextRenewal else { return false }
        do throws(PluginError) {
            guard let kept = try renewed(mode ?? connection.settings.mode, connection, now) else {
                return false
            }
            let access = try connection.settings.access(
                secrets: kept, environment: environment, file: Self.text)
            let client = connection.client
            guard access.subjects == client.access.subjects else {
                host?.log(.error, "the token was renewed for another user: it is not taken")
                return false
            }
            guard access != client.access else { return false }
            secrets = kept
            client.use(access)
            return true
        } catch {
            host?.log(.warning, error.message)
            return false
        }
    }

    /// Does what may have live connections taken that are refused: gets other credentials, or asks for
    /// the server's time, which their answers do not tell.
    ///
    /// - Returns: False where they would be refused again.
    func renewLive(_ mode: Access.Mode?) -> Bool {
        renewAccess(mode)
            || connection?.client.askTime(by: mode, within: Self.greeting) ?? false
    }

    /// The secrets, with a fresh token where that is what was refused; nil where nothing can have
    /// changed.
    private func renewed(
        _ mode: Access.Mode, _ connection: Connection, _ now: Int64
    ) throws(PluginError) -> JSONObject? {
        let settings = connection.settings
        guard mode == .iam || mode == settings.renewedMode else { return nil }
        nextRenewal = now + Self.renewalPause
        if mode == .iam { return secrets }
        guard let token = try freshToken(settings, connection.client.access[mode]) else {
            return nil
        }
        var kept = secrets
        kept[settings.tokenKey(mode)] = .string(token)
        return kept
    }

    /// A token in place of `old`, told to the host; nil where there is no way to one.
    func freshToken(_ settings: Settings, _ old: Access?) throws(PluginError) -> String? {
        if old == nil, let given = settings.givenToken(secrets) { return given }
        let tokens: TokenRenewal.Tokens
        if let login = try settings.passwordLogin(secrets) {
            tokens = try login.ask(
                try settings.http(), random: RandomBytes.make(count: 128), at: Clock.system.now())
            // It has done its work.
            secrets["password"] = nil
            host?.secret(key: "password", value: "")
        } else if let renewal = try settings.renewal(secrets) {
            tokens = try renewal.ask(try settings.http())
        } else {
            return nil
        }
        guard let token = tokens.replacing(old) else { return nil }
        let end = tokens.lifetime.map { Clock.system.now() + min(max($0, 0), 1 << 32) * 1_000 }
        if let refresh = tokens.refresh, refresh != secrets["refresh_token"]?.text {
            secrets["refresh_token"] = .string(refresh)
            host?.secret(key: "refresh_token", value: refresh)
        }
        let key = settings.renewedMode.map(settings.tokenKey) ?? "token"
        host?.secret(key: key, value: token, expiresAt: end)
        return token
    }
}

extension Settings {
    /// The kind of access whose token a refresh token renews; nil where it would be of no use.
    package var renewedMode: Access.Mode? {
        guard clientID != nil else { return nil }
        return modes.first { mode in
            switch mode {
            case .userPools: tokenURL != nil || poolRegion != nil
            case .oidc: tokenURL != nil
            case .apiKey, .lambda, .iam, .bearer, .header, .none: false
            }
        }
    }

    /// The token of a user that was given in place of a refresh token; nil where none was.
    ///
    /// Refresh tokens of user pools tell nothing of themselves, tokens of users tell their use.
    func givenToken(_ secrets: JSONObject) -> String? {
        guard renewedMode == .userPools, let text = secrets["refresh_token"]?.text,
            Access.token(text).claims["token_use"] != nil
        else { return nil }
        return text
    }

    /// How the token is renewed; nil where there is no refresh token, or nobody to give it to.
    func renewal(_ secrets: JSONObject) throws(PluginError) -> TokenRenewal? {
        guard let clientID, let address = try issuer(),
            let refresh = secrets["refresh_token"]?.text, !refresh.isEmpty,
            givenToken(secrets) == nil
        else { return nil }
        return TokenRenewal(
            renewedMode == .userPools ? .userPool : .oauth, address, clientID: clientID,
            clientSecret: secrets["client_secret"]?.text, refreshToken: refresh)
    }

    /// How a password is changed for tokens; nil where none was given, or nobody takes it.
    func passwordLogin(_ secrets: JSONObject) throws(PluginError) -> PasswordLogin? {
        guard renewedMode == .userPools, let clientID, let user, let address = try issuer(),
            let password = secrets["password"]?.text, !password.isEmpty
        else { return nil }
        let parts = (pool ?? "").split(separator: "_", maxSplits: 1)
        guard parts.count == 2 else {
            throw .setting("user_pool", "a login with a password needs it, as eu-west-1_Ab12Cd34")
        }
        return PasswordLogin(
            address, clientID: clientID, pool: String(parts[1]), user: user, password: password)
    }

    /// Who gives fresh tokens; nil for nobody.
    private func issuer() throws(PluginError) -> Endpoint? {
        guard let mode = renewedMode else { return nil }
        if let tokenURL { return tokenURL }
        guard mode == .userPools, let region = poolRegion else { return nil }
        let suffix = region.hasPrefix("cn-") ? ".cn" : ""
        do throws(Endpoint.Bad) {
            return try Endpoint("https://cognito-idp.\(region).amazonaws.com\(suffix)/")
        } catch {
            throw .setting("user_pool", error.message)
        }
    }
}
