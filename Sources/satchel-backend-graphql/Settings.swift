package import JSON
package import PluginKit

/// The configuration of a context, read and checked.
package struct Settings: Sendable {
    package enum Detection: String, Sendable, CaseIterable { case auto, on, off }

    private enum Switch: String, CaseIterable { case on, off }

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
        guard let address = try Self.address(config, "url") else {
            throw .setting("url", "the address of the API is missing")
        }
        endpoint = address
        let isMapped = config["mapping"].map { !$0.isNull } ?? false
        mode = try Self.choice(config, "auth", isMapped ? Access.Mode.none : .apiKey)
        modelModes = try Self.modelModes(config, usual: mode, isMapped: isMapped)
        authHeader = config["auth_header"]?.text ?? "X-Hasura-Admin-Secret"
        headers = (config["headers"]?.members?.pairs ?? []).compactMap { pair in
            pair.value.text.map { HTTPHeader(pair.key, $0) }
        }
        for header in headers + [HTTPHeader(authHeader, "")] where !header.isFit {
            throw .setting("headers", "\(header.name) is no header with a text of one line")
        }
        region = config["region"]?.text ?? endpoint.region
        detection = try Self.choice(config, "conflict_detection", Detection.auto)
        concurrency = Int(try Self.number(config, "concurrency", 8, 1...64))
        timeout = try Self.number(config, "timeout", 30, 1...300) * 1_000
        page = Int(try Self.number(config, "page", 1_000, 1...10_000))
        responseBytes = Int(try Self.number(config, "response_mb", 32, 1...1_024)) << 20
        caFile = config["ca_file"]?.text
        profile = config["profile"]?.text
        let hours = try Self.number(config, "full_after_hours", 24, 0...100_000)
        fullAfter = hours > 0 ? hours * 3_600_000 : nil
        tombstoneLife = try Self.number(config, "tombstone_days", 30, 1...3_650) * 86_400_000
        overlap = try Self.number(config, "overlap_ms", 5_000, 0...600_000)
        versionField = config["version_field"]?.text ?? "updatedAt"
        isLive = try Self.choice(config, "live", Switch.on) == .on
        ownerClaim = config["owner_claim"]?.text
        clientID = config["client_id"]?.text
        pool = config["user_pool"]?.text
        user = config["user"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        tokenURL = try Self.address(config, "token_url")
        poolRegion =
            pool?.split(separator: "_").first.map(String.init)
            ?? config["region"]?.text ?? endpoint.region
        realTime = try Self.address(config, "realtime_url") ?? endpoint.realTime
        names = config["names"]?.members ?? JSONObject()
    }

    private static func address(
        _ config: JSONObject, _ key: String
    ) throws(PluginError) -> Endpoint? {
        guard let url = config[key]?.text, !url.isEmpty else { return nil }
        let address: Endpoint
        do throws(Endpoint.Bad) { address = try Endpoint(url) } catch {
            throw .setting(key, error.message)
        }
        if !address.isSecure, !address.isLocal, config["allow_http"] != true {
            throw .setting(key, "\(url) would send credentials in the open; use https://")
        }
        return address
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ config: JSONObject, _ key: String, _ usual: Choice
    ) throws(PluginError) -> Choice {
        guard let value = config[key], !value.isNull else { return usual }
        guard let choice = value.text.flatMap(Choice.init(rawValue:)) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .setting(key, "it is one of \(words)")
        }
        return choice
    }

    /// Numbers come as texts from `--set`.
    private static func number(
        _ config: JSONObject, _ key: String, _ usual: Int64, _ range: ClosedRange<Int64>
    ) throws(PluginError) -> Int64 {
        guard let value = config[key], !value.isNull else { return usual }
        guard let number = value.integer ?? value.text.flatMap({ Int64($0) }),
            range.contains(number)
        else {
            throw .setting(
                key, "it is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
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
            hint: "satchel config set contexts.NAME.config.\(key) VALUE")
    }
}
