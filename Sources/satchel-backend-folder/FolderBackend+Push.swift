internal import JSON
internal import Platform
package import PluginKit
internal import Records

extension FolderBackend {
    /// Milliseconds without a push after which the latest ones are settled.
    private static let settleDelay: Int64 = 300

    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        let folder = try reach()
        let rules = try rulebook.rules(of: folder).requiring(schema)
        let lock = try PluginError.writing(folder.path) { () throws(SystemError) in
            let lock = try folder.lock()
            try folder.recover()
            return lock
        }
        shortenLog(of: folder)
        var draft = try PluginError.writing(folder.path) { () throws(SystemError) in
            PushDraft(
                folder: folder, rules: rules, client: setup.client, after: try folder.log.head())
        }
        var verdicts: [PluginVerdict?] = []
        for operation in operations {
            try call.checkCancelled()
            verdicts.append(
                try PluginError.writing(folder.path) { () throws(SystemError) in
                    try draft.decide(operation, keys: &keys)
                })
        }
        if let journal = draft.journal {
            try PluginError.writing(folder.path) { () throws(SystemError) in
                try folder.commit(journal)
            }
            settleTime = Clock.system.monotonic() + Self.settleDelay
        }
        _ = consume lock
        return verdicts
    }

    /// The push goes on without it: a log that is too long is no reason to take nothing more.
    private func shortenLog(of folder: Folder) {
        do throws(SystemError) {
            try folder.shortenLog()
        } catch {
            host?.log(.warning, error.message)
        }
    }
}
