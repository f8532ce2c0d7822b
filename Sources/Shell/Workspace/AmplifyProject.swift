package import JSON
internal import Platform
package import Records

/// What Amplify wrote down of an API: `amplify_outputs.json` (Gen 2),
/// `amplifyconfiguration.json` (Gen 1) or `aws-exports.js` (Gen 1, for the web); for Flutter the same in
/// Dart.
package struct AmplifyProject: Sendable, Equatable {
    /// For the graphql backend, without the secrets.
    package var config: JSONObject
    package var secrets: JSONObject
    /// The models as Gen 2 describes them; nil where the file has none.
    package var introspection: JSONValue?
    /// The API's name in a Gen 1 project, where it is told.
    package var name: String?
    /// The key that comes with the project, whoever uses it.
    private var apiKey: String?
    private var usualMode: String
    private var pool: Pool?

    /// The names the files have.
    package static let fileNames = [
        "amplify_outputs.json", "amplifyconfiguration.json", "aws-exports.js",
        "amplify_outputs.dart", "amplifyconfiguration.dart",
    ]
    /// Where Amplify's tools put them, seen from a project's folder: at its root, for the web, for
    /// Android, for Flutter, beside the backend.
    package static let folders = [".", "src", "app/src/main/res/raw", "lib", "amplify"]

    /// Reads one of the files.
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
            let auth = json["auth"]
            pool = Pool(auth?["user_pool_id"], auth?["user_pool_client_id"])
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
            let cognito = json["auth"]?["plugins"]?["awsCognitoAuthPlugin"]
            let auth = cognito?["CognitoUserPool"]?["Default"]
            pool = Pool(auth?["PoolId"], auth?["AppClientId"])
        } else if json["aws_appsync_graphqlEndpoint"] != nil {
            try self.init(
                url: json["aws_appsync_graphqlEndpoint"], region: json["aws_appsync_region"],
                mode: json["aws_appsync_authenticationType"], key: json["aws_appsync_apiKey"],
                file)
            // The file of a web project does not name it.
            name = api
            pool = Pool(json["aws_user_pools_id"], json["aws_user_pools_web_client_id"])
        } else {
            throw ShellError(
                .input, "\(file) is no configuration of Amplify with a GraphQL API",
                hint: "\(Self.fileNames.dropLast().joined(separator: ", ")) "
                    + "or \(Self.fileNames.last ?? "") is meant")
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
        usualMode = auth
        apiKey = key?.text
        secrets = JSONObject()
        settle([auth])
    }

    /// Takes over how the models are asked for, as their rules have it.
    package mutating func follow(_ rules: AmplifyRules, _ schema: Schema) {
        var modes = rules.modes(usual: usualMode, in: schema)
        // What no model is asked for in, nobody needs to log in for.
        if let mode = rules.mode(insteadOf: usualMode, in: schema) {
            usualMode = mode
            config["auth"] = .string(mode)
            modes = rules.modes(usual: mode, in: schema)
        }
        if !modes.isEmpty { config["model_auth"] = .object(modes) }
        settle([usualMode] + modes.pairs.compactMap(\.value.text))
    }

    /// What these kinds of authorization need.
    private mutating func settle(_ modes: [String]) {
        if modes.contains("api_key"), let apiKey { secrets["api_key"] = .string(apiKey) }
        if modes.contains("user_pools"), let pool {
            config["user_pool"] = .string(pool.id)
            config["client_id"] = .string(pool.client)
        }
    }

    /// A user pool of Cognito, and the client of it that the project is.
    private struct Pool: Sendable, Equatable {
        let id: String
        let client: String

        init?(_ id: JSONValue?, _ client: JSONValue?) {
            guard let id = id?.text, let client = client?.text, !id.isEmpty, !client.isEmpty else {
                return nil
            }
            self.id = id
            self.client = client
        }
    }

    /// The JSON in a file: all of it, or what a file of JavaScript or Dart gives a name to.
    package static func json(in content: [UInt8], of file: String) throws(JSONError) -> JSONValue {
        guard file.hasSuffix(".js") || file.hasSuffix(".dart"),
            let start = content.firstIndex(of: UInt8(ascii: "{")),
            let end = content.lastIndex(of: UInt8(ascii: "}")), start < end
        else { return try JSONValue.parse(content) }
        return try JSONValue.parseJSON5(Array(content[start...end]))
    }

    private static let modes = [
        "API_KEY": "api_key", "AMAZON_COGNITO_USER_POOLS": "user_pools",
        "OPENID_CONNECT": "oidc", "AWS_LAMBDA": "lambda", "AWS_IAM": "iam",
    ]
}
