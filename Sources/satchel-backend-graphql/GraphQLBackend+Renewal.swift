internal import JSON
internal import Platform
internal import PluginKit

extension GraphQLBackend {
    /// Milliseconds between two tries to get other credentials.
    private static let renewalPause: Int64 = 10_000

    /// Gets other credentials in place of those that were refused: a token for a refresh token, or
    /// what the files of AWS hold by now.
    ///
    /// - Returns: False where there are none.
    func renewAccess() -> Bool {
        let now = Clock.system.monotonic()
        guard let connection, now >= nextRenewal else { return false }
        nextRenewal = now + Self.renewalPause
        do throws(PluginError) {
            guard let access = try renewed(connection) else { return false }
            guard access.subject == connection.client.access.subject else {
                host?.log(.error, "the token was renewed for another user: it is not taken")
                return false
            }
            connection.client.use(access)
            return true
        } catch {
            host?.log(.warning, error.message)
            return false
        }
    }

    private func renewed(_ connection: Connection) throws(PluginError) -> Access? {
        let settings = connection.settings
        guard settings.mode != .iam else {
            let found = try settings.access(
                secrets: secrets, environment: environment, file: Self.text)
            return found == connection.client.access ? nil : found
        }
        guard let token = try freshToken(settings, connection.client.access) else { return nil }
        secrets["token"] = .string(token)
        return try settings.access(secrets: secrets, environment: environment, file: Self.text)
    }

    /// A token in place of `old`, told to the host; nil where there is no way to one.
    func freshToken(_ settings: Settings, _ old: Access?) throws(PluginError) -> String? {
        guard let renewal = try settings.renewal(secrets) else { return nil }
        let tokens = try renewal.ask(try settings.http())
        guard let token = tokens.replacing(old) else { return nil }
        let end = tokens.lifetime.map { Clock.system.now() + min(max($0, 0), 1 << 32) * 1_000 }
        if let refresh = tokens.refresh, refresh != renewal.refreshToken {
            secrets["refresh_token"] = .string(refresh)
            host?.secret(key: "refresh_token", value: refresh)
        }
        host?.secret(key: "token", value: token, expiresAt: end)
        return token
    }
}

extension Settings {
    /// True where a refresh token would be of use.
    package var canRenew: Bool {
        guard clientID != nil else { return false }
        return switch mode {
        case .userPools: tokenURL != nil || poolRegion != nil
        case .oidc: tokenURL != nil
        case .apiKey, .lambda, .iam, .bearer, .header, .none: false
        }
    }

    /// How the token is renewed; nil where there is no refresh token, or nobody to give it to.
    func renewal(_ secrets: JSONObject) throws(PluginError) -> TokenRenewal? {
        guard canRenew, let clientID,
            let refresh = secrets["refresh_token"]?.text, !refresh.isEmpty
        else { return nil }
        let address: Endpoint
        if let tokenURL {
            address = tokenURL
        } else if mode == .userPools, let region = poolRegion {
            let suffix = region.hasPrefix("cn-") ? ".cn" : ""
            do throws(Endpoint.Bad) {
                address = try Endpoint("https://cognito-idp.\(region).amazonaws.com\(suffix)/")
            } catch {
                throw .setting("user_pool", error.message)
            }
        } else {
            return nil
        }
        return TokenRenewal(
            mode == .userPools ? .userPool : .oauth, address, clientID: clientID,
            clientSecret: secrets["client_secret"]?.text, refreshToken: refresh)
    }
}
