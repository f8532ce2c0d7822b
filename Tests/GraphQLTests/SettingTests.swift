import JSON
import PluginKit
import Testing
import satchel_backend_graphql

@Suite struct `A setting of another kind` {
    static let texts = [
        "url", "region", "profile", "ca_file", "client_id", "user_pool", "user", "auth_header",
        "owner_claim", "version_field", "token_url", "realtime_url", "api_key", "client_secret",
        "user_pools_token",
    ]

    static func error(_ key: String, _ value: JSONValue) -> PluginError? {
        var config = JSONObject([("url", "https://example.com/graphql"), ("auth", "bearer")])
        config[key] = value
        return failure { _ = try Settings(config) }
    }

    @Test(arguments: texts) func `than a text is refused`(_ key: String) {
        for value: JSONValue in [5, true, [], ["a": "b"]] {
            let found = Self.error(key, value)
            #expect(
                found?.message.hasPrefix("config.\(key): it is a text") == true,
                "\(String(describing: found))")
            #expect(found?.hint?.contains("config set config.\(key) VALUE") == true)
        }
        if key != "url" { #expect(Self.error(key, .null) == nil) }
    }

    static let others: [(key: String, value: JSONValue, words: String?)] = [
        ("page", "5", nil), ("page", 0, "a number from 1 to 10000"), ("page", [5], "a number"),
        ("realtime_auth", "query", nil),
        ("realtime_auth", "address", "one of subprotocol, query, headers"),
        ("live", true, "one of on, off"), ("credentials", "environment", nil),
        ("credentials", "key", "one of environment, keys"), ("allow_http", "true", nil),
        ("allow_http", "yes", "true or false"), ("headers", ["X-Role": "user"], nil),
        ("headers", ["X-Role": 5], "config.headers.X-Role: it is a text"),
        ("headers", "X-Role: user", "config.headers"), ("auth_header", "a b", "config.auth_header"),
        ("auth", 5, "one of"), ("headers", ["Content-Length": "0"], "headers.Content-Length"),
        ("headers", ["HOST": "other"], "headers.HOST"),
    ]

    @Test(arguments: others) func `than it has to be is refused`(
        _ row: (key: String, value: JSONValue, words: String?)
    ) {
        let error = Self.error(row.key, row.value)
        guard let words = row.words else {
            #expect(error == nil, "\(row.key)")
            return
        }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `than a text is told how it is one`() {
        #expect(
            Self.error("user", 5)?.message
                == #"config.user: it is a text: write "5" with its quotes"#)
    }

    @Test func `lets what was set as a text be followed`() throws {
        let config: JSONValue = ["url": "http://example.com/graphql", "allow_http": "true"]
        #expect(try Settings(config.members ?? JSONObject()).endpoint.host == "example.com")
    }
}
