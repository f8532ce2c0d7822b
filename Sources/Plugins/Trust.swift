internal import JSON
package import Platform

/// Which workspaces may start programs on this machine, by the content this user has seen.
///
/// Kept in `$XDG_STATE_HOME/satchel/trusted.json`, by the path of the folder: the SHA-256 of
/// `satchel.json`, and of each program that the workspace itself supplies. A change of the one ends
/// the trust, a change of the other keeps that program from being started.
package struct Trust: Sendable {
    private let path: String

    package init(_ environment: Environment) {
        path = Path.join(environment.stateHome, "satchel/trusted.json")
    }

    /// True when the user trusted this very content for this folder.
    package func holds(workspace: String, content: [UInt8]) throws(SystemError) -> Bool {
        guard let entry = try entries()[key(workspace)] else { return false }
        // Until programs were looked at too, the hash stood alone.
        guard let known = entry["config"]?.text ?? entry.text else { return false }
        return try known == ContentHash.sha256(content)
    }

    /// Trusts the content from now on, and the programs as long as they have these hashes.
    ///
    /// - Parameters:
    ///   - workspace: The folder.
    ///   - content: Of its `satchel.json`.
    ///   - programs: By their place in the workspace.
    /// - Throws: When the list of trusted workspaces cannot be read or written.
    package func trust(
        workspace: String, content: [UInt8], programs: [String: String] = [:]
    ) throws(SystemError) {
        let hash = try ContentHash.sha256(content)
        let hashes = JSONObject(
            programs.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        let entry = JSONObject([("config", .string(hash)), ("programs", .object(hashes))])
        try change { $0[key(workspace)] = .object(entry) }
    }

    /// The hashes of the programs that were looked at, by their place in the workspace.
    package func programs(of workspace: String) throws(SystemError) -> [String: String] {
        var hashes: [String: String] = [:]
        for (place, hash) in try entries()[key(workspace)]?["programs"]?.members?.pairs ?? [] {
            hashes[place] = hash.text
        }
        return hashes
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
