internal import JSON
package import Platform

/// Which workspaces may start programs on this machine, by the content this user has seen.
///
/// Kept in `$XDG_STATE_HOME/satchel/trusted.json`: the SHA-256 of `satchel.json` by the path of its
/// folder. A change of the file, by whomever, ends the trust.
package struct Trust: Sendable {
    private let path: String

    package init(_ environment: Environment) {
        path = Path.join(environment.stateHome, "satchel/trusted.json")
    }

    /// True when the user trusted this very content for this folder.
    package func holds(workspace: String, content: [UInt8]) throws(SystemError) -> Bool {
        guard let known = try entries()[key(workspace)]?.text else { return false }
        return try known == ContentHash.sha256(content)
    }

    /// Trusts the content from now on.
    package func trust(workspace: String, content: [UInt8]) throws(SystemError) {
        let hash = try ContentHash.sha256(content)
        try change { $0[key(workspace)] = .string(hash) }
    }

    /// Takes the trust back.
    package func revoke(workspace: String) throws(SystemError) {
        try change { $0[key(workspace)] = nil }
    }
}

extension Trust {
    /// One name a folder, whatever links lead to it.
    private func key(_ workspace: String) -> String {
        do throws(SystemError) { return try Files.realPath(workspace) } catch { return workspace }
    }

    private func change(_ body: (inout JSONObject) -> Void) throws(SystemError) {
        try Files.makeDirectory(Path.parent(path), mode: 0o700)
        let lock = try FileLock.acquire(path + ".lock", within: 5_000)
        var entries = try entries()
        body(&entries)
        try Files.replace(
            path, with: Array((JSONValue.object(entries).prettyPrinted() + "\n").utf8),
            mode: 0o600)
        _ = consume lock
    }

    private func entries() throws(SystemError) -> JSONObject {
        let status: Files.Status
        let bytes: [UInt8]
        do throws(SystemError) {
            status = try Files.status(path)
            bytes = try Files.read(path, limit: 64 << 20)
        } catch {
            if error.kind == .notFound { return JSONObject() }
            throw error
        }
        guard status.owner == Machine.userID, status.mode & 0o022 == 0 else {
            throw SystemError(
                code: 1, message: "\(path) is not used: others can write to it; chmod 600 it")
        }
        do throws(JSONError) {
            guard case .object(let entries) = try JSONValue.parse(bytes) else {
                throw JSONError(.syntax, "it holds no object")
            }
            return entries
        } catch {
            throw SystemError(
                code: 22, message: "cannot read \(path): \(error.message); remove it to start anew")
        }
    }
}
