package import Platform

/// A key pair of AWS, with a token where it is a temporary one.
package struct AWSCredentials: Sendable, Equatable {
    package var accessKey: String
    package var secretKey: String
    package var sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// The credentials of the environment: `AWS_ACCESS_KEY_ID` and its like, unless a profile is
    /// named, else those of the profile in AWS's files.
    ///
    /// - Parameters:
    ///   - environment: Of this process.
    ///   - profile: The one to take; nil for `AWS_PROFILE`, else `default`.
    ///   - file: Gives a file's text; nil where there is none.
    /// - Returns: Nil where neither has both keys.
    package static func found(
        in environment: Environment, profile: String?, file: (String) -> String?
    ) -> AWSCredentials? {
        if profile == nil, let access = environment.text("AWS_ACCESS_KEY_ID"),
            let secret = environment.text("AWS_SECRET_ACCESS_KEY")
        {
            return AWSCredentials(
                accessKey: access, secretKey: secret,
                sessionToken: environment.text("AWS_SESSION_TOKEN"))
        }
        let name = profile ?? environment.text("AWS_PROFILE") ?? "default"
        let folder = Path.join(environment.home, ".aws")
        let places = [
            (
                environment.text("AWS_SHARED_CREDENTIALS_FILE") ?? Path.join(folder, "credentials"),
                name
            ),
            (
                environment.text("AWS_CONFIG_FILE") ?? Path.join(folder, "config"),
                name == "default" ? name : "profile \(name)"
            ),
        ]
        for (path, section) in places {
            guard let text = file(path) else { continue }
            let settings = AWSProfile.settings(of: section, in: text)
            guard let access = settings["aws_access_key_id"],
                let secret = settings["aws_secret_access_key"]
            else { continue }
            return AWSCredentials(
                accessKey: access, secretKey: secret, sessionToken: settings["aws_session_token"])
        }
        return nil
    }
}

/// AWS's files of profiles: sections in brackets, `key = value` below them.
package enum AWSProfile {
    /// The settings of one section; none where there is no such section.
    package static func settings(of section: String, in text: String) -> [String: String] {
        var settings: [String: String] = [:]
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmedText
            if line.utf8.first == UInt8(ascii: "#") || line.utf8.first == UInt8(ascii: ";") {
                continue
            }
            if line.utf8.first == UInt8(ascii: "["), line.utf8.last == UInt8(ascii: "]") {
                isInside = line.dropFirst().dropLast().trimmedText == section
            } else if isInside, let cut = line.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let key = line[..<cut].trimmedText.lowercased()
                settings[key] = line[line.utf8.index(after: cut)...].trimmedText
            }
        }
        return settings
    }
}

extension Environment {
    /// The variable, unless it is missing or empty.
    fileprivate func text(_ name: String) -> String? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return value
    }
}
