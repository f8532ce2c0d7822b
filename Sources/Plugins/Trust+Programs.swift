package import Platform

// The files of a workspace that are started: what was seen of them, and whether they are still that.

extension Trust {
    /// Looks at a program of a workspace that is about to be started.
    ///
    /// - Parameters:
    ///   - path: The program, or a script that an interpreter reads.
    ///   - workspace: The folder with `satchel.json`.
    /// - Returns: What to compare with right before the start; nil for a program that is elsewhere.
    /// - Throws: Kind `.untrusted` where it is not what this user saw, or others can change it.
    package func inspect(_ path: String, in workspace: String) throws(PluginError) -> FileSeal? {
        if let danger = ProgramFile.danger(path) {
            throw PluginError(
                .untrusted, "\(path) is not started: \(danger)",
                hint: "chmod o-w what should be yours alone")
        }
        guard let place = ProgramFile.place(of: path, in: workspace) else { return nil }
        let (seal, known): (FileSeal, String?)
        do throws(SystemError) {
            seal = try FileSeal.take(path)
            known = try programs(of: workspace)[place]
        } catch {
            throw PluginError(.untrusted, error.message)
        }
        if known == seal.hash { return seal }
        throw PluginError(
            .untrusted,
            known == nil
                ? "\(place) was not there when the workspace was trusted"
                : "\(place) changed since the workspace was trusted",
            hint: "look at it, and consent: satchel trust")
    }
}

extension Trust {
    /// What files of a workspace hold now, by their place in it; one that cannot be read has no hash,
    /// and so will not be started.
    package func hashes(of paths: [String], in workspace: String) -> [String: String] {
        var hashes: [String: String] = [:]
        for path in paths {
            guard let place = ProgramFile.place(of: path, in: workspace) else { continue }
            do throws(SystemError) { hashes[place] = try FileSeal.take(path).hash } catch {
                continue
            }
        }
        return hashes
    }
}
