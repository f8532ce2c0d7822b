package import JSON
package import PluginKit

/// The configuration of a context, read and checked.
package struct Settings: Sendable {
    package enum Detection: String, Sendable, CaseIterable { case auto, on, off }

    private enum Switch: String, CaseIterable { case on, off }

    private enum CredentialSource: String, CaseIterable { case environment, keys }

    package let endpoint: Endpoint
    package let mode: Access.Mode
    /// Of the models that prove in another way who asks.
    package let modelModes: [String: Access.Mode]
    package let region: String?
    /// The header that `auth=header` sends its credential in.
    package let authHeader: String
    /// Headers that go with every request, such as a role.
    package let headers: [HTTPHeader]
    package let detection: Detection
    /// Requests under way at a time.
    package let concurrency: Int
    /// Milliseconds a request may take.
    package let timeout: Int64
    /// Records a page may hold.
    package let page: Int
    package let responseBytes: Int
    package let caFile: String?
    package let profile: String?
    /// Milliseconds after which a delta gives way to a pull of everything; nil for never.
    package let fullAfter: Int64?
    /// Milliseconds that tombstones live.
    package let tombstoneLife: Int64
    /// Milliseconds that a delta reaches back over its beginning: reads there may be a little old.
    package let overlap: Int64
    /// The field whose value tells one state of a record from another, without conflict detection.
    package let versionField: String
    /// Whether changes are listened for.
    package let isLive: Bool
    /// Where changes are listened for.
    package let realTime: Endpoint
    /// Where the handshake of such a connection says who asks.
    package let realTimeWay: Access.RealTimeWay
    /// The claim whose value an owner argument wants; nil for those that Amplify uses.
    package let ownerClaim: String?
    /// Who asks for fresh tokens; nil where they are not renewed.
    package let clientID: String?
    /// The user pool, and the name of who logs in there with a password.
    package let pool: String?
    package let user: String?
    /// Where fresh tokens are asked for; nil for the place that follows from the user pool.
    package let tokenURL: Endpoint?
    /// The region of the user pool.
    package let poolRegion: String?
    /// Names of a model's operations, where they do not follow from its name.
    package let names: JSONObject

    /// Reads a context's `config`.
    ///
    /// - Throws: Kind `.permanent`, naming the key.
    package init(_ config: JSONObject) throws(PluginError) {
        try Self.check(config)
        let values = SettingValues(config)
        guard let address = try Self.address(values, "url") else {
            throw .setting("url", "the address of the API is missing")
        }
        endpoint = address
        let isMapped = values.value("mapping") != nil
        mode = try values.choice("auth", isMapped ? Access.Mode.none : .apiKey)
        modelModes = try Self.modelModes(config, usual: mode, isMapped: isMapped)
        authHeader = try values.text("auth_header") ?? "X-Hasura-Admin-Secret"
        headers = try values.textsByName("headers").sorted { $0.key < $1.key }
            .map { HTTPHeader($0.key, $0.value) }
        for header in headers where Self.ownHeaders.contains(header.name.lowercased()) {
            throw .setting("headers.\(header.name)", "that one is made for each request")
        }
        for header in headers where !header.isFit {
            throw .setting("headers", "\(header.name) is no header with a text of one line")
        }
        guard HTTPHeader(authHeader, "").isFit else {
            throw .setting("auth_header", "\(authHeader) is no name of a header")
        }
        let ownRegion = try values.text("region")
        region = ownRegion ?? endpoint.region
        _ = try values.choice("credentials", CredentialSource.environment)
        detection = try values.choice("conflict_detection", Detection.auto)
        concurrency = Int(try values.number("concurrency", in: 1...64) ?? 8)
        timeout = (try values.number("timeout", in: 1...300) ?? 30) * 1_000
        page = Int(try values.number("page", in: 1...10_000) ?? 1_000)
        responseBytes = Int(try values.number("response_mb", in: 1...1_024) ?? 32) << 20
        caFile = try values.text("ca_file")
        profile = try values.text("profile")
        let hours = try values.number("full_after_hours", in: 0...100_000) ?? 24
        fullAfter = hours > 0 ? hours * 3_600_000 : nil
        tombstoneLife = (try values.number("tombstone_days", in: 1...3_650) ?? 30) * 86_400_000
        overlap = try values.number("overlap_ms", in: 0...600_000) ?? 5_000
        versionField = try values.name("version_field") ?? "updatedAt"
        isLive = try values.choice("live", Switch.on) == .on
        ownerClaim = try values.text("owner_claim")
        clientID = try values.text("client_id")
        pool = try values.text("user_pool")
        user = try values.text("user").flatMap { $0.isEmpty ? nil : $0 }
        tokenURL = try Self.address(values, "token_url")
        poolRegion =
            pool?.split(separator: "_").first.map(String.init) ?? ownRegion ?? endpoint.region
        realTime = try Self.address(values, "realtime_url") ?? endpoint.realTime
        realTimeWay = try values.choice("realtime_auth", Access.RealTimeWay.subprotocol)
        names = config["names"]?.members ?? JSONObject()
    }

    /// Headers that describe the request itself.
    private static let ownHeaders: Set<String> = [
        "host", "content-length", "content-type", "transfer-encoding", "connection",
        "accept-encoding",
    ]

    private static func address(
        _ values: SettingValues, _ key: String
    ) throws(PluginError) -> Endpoint? {
        guard let url = try values.text(key), !url.isEmpty else { return nil }
        let address: Endpoint
        do throws(Endpoint.Bad) { address = try Endpoint(url) } catch {
            throw .setting(key, error.message)
        }
        let isOpen = try values.flag("allow_http")
        if !address.isSecure, !address.isLocal, !isOpen {
            throw .setting(key, "\(url) would send credentials in the open; use https://")
        }
        return address
    }
}

extension Settings {
    /// What sends the requests.
    ///
    /// - Throws: Kind `.permanent` where curl cannot be used.
    func http() throws(PluginError) -> HTTPClient {
        do throws(HTTPFailure) {
            return try HTTPClient(
                HTTPClient.Limits(
                    connections: concurrency, responseBytes: responseBytes, caFile: caFile))
        } catch {
            throw PluginError(.permanent, error.message)
        }
    }
}

extension HTTPHeader {
    /// True for a name of letters, digits and hyphens, and a value of one line.
    fileprivate var isFit: Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x2D
        }
        return isPlain && !name.isEmpty && value.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
    }
}

extension PluginError {
    /// A key of `config` that cannot be followed.
    static func setting(_ key: String, _ message: String) -> PluginError {
        PluginError(
            .permanent, "config.\(key): \(message)",
            hint: "satchel config set config.\(key) VALUE")
    }
}
