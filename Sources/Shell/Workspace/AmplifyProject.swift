package import JSON
internal import Platform

/// What Amplify wrote down of an API: `amplify_outputs.json` (Gen 2) or
/// `amplifyconfiguration.json` (Gen 1).
package struct AmplifyProject: Sendable, Equatable {
    /// For the graphql backend, without the secrets.
    package var config: JSONObject
    package var secrets: JSONObject
    /// The models as Gen 2 describes them; nil where the file has none.
    package var introspection: JSONValue?
    /// The API's name in a Gen 1 project.
    package var name: String?

    /// The names the two files have.
    package static let fileNames = ["amplify_outputs.json", "amplifyconfiguration.json"]

    /// Reads either file.
    ///
    /// - Parameters:
    ///   - json: The file's content.
    ///   - file: Its name in messages.
    ///   - api: The API that is meant where there are several.
    /// - Throws: Kind `.input` for another file, or one without a GraphQL API; `.usage` for several
    ///   APIs of which none is named.
    package init(_ json: JSONValue, file: String, api: String? = nil) throws(ShellError) {
        if let data = json["data"]?.members {
            try self.init(
                url: data["url"], region: data["aws_region"],
                mode: data["default_authorization_type"], key: data["api_key"], file)
            introspection = data["model_introspection"]
        } else if let plugin = json["api"]?["plugins"]?["awsAPIPlugin"]?.members {
            let all = plugin.pairs.filter { $0.value["endpointType"]?.text == "GraphQL" }
            let names = all.map(\.key).joined(separator: ", ")
            guard all.count == 1 || api != nil || all.isEmpty else {
                throw .usage(
                    "\(file) has several GraphQL APIs: \(names)", hint: "--set api=NAME")
            }
            let found = api.map { name in all.filter { $0.key.sameBytes(as: name) } } ?? all
            guard let found = found.first else {
                throw ShellError(
                    .input, "\(file) has no GraphQL API" + (api.map { " \($0)" } ?? ""))
            }
            try self.init(
                url: found.value["endpoint"], region: found.value["region"],
                mode: found.value["authorizationType"], key: found.value["apiKey"], file)
            name = found.key
        } else {
            throw ShellError(
                .input, "\(file) is no configuration of Amplify with a GraphQL API",
                hint: "amplify_outputs.json or amplifyconfiguration.json is meant")
        }
    }

    private init(
        url: JSONValue?, region: JSONValue?, mode: JSONValue?, key: JSONValue?, _ file: String
    ) throws(ShellError) {
        guard let url = url?.text, !url.isEmpty else {
            throw ShellError(.input, "\(file) has no address of a GraphQL API")
        }
        let word = mode?.text ?? "API_KEY"
        guard let auth = Self.modes[word] else {
            throw ShellError(.input, "\(file): \(word) is no way to authorize that is known here")
        }
        config = JSONObject([("url", .string(url))])
        if let region = region?.text { config.append("region", .string(region)) }
        config.append("auth", .string(auth))
        secrets = JSONObject()
        if auth == "api_key", let key = key?.text { secrets.append("api_key", .string(key)) }
    }

    private static let modes = [
        "API_KEY": "api_key", "AMAZON_COGNITO_USER_POOLS": "user_pools",
        "OPENID_CONNECT": "oidc", "AWS_LAMBDA": "lambda", "AWS_IAM": "iam",
    ]

    /// Where a Gen 1 project may keep its schema, seen from the folder of the file.
    package var schemaPlaces: [String] {
        guard let name else { return ["schema.graphql"] }
        let place = "amplify/backend/api/\(name)/schema.graphql"
        return ["schema.graphql", place, Path.join("..", place)]
    }
}
