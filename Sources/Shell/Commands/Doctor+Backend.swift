internal import Plugins
internal import Storage
internal import Sync

// What a sync would meet, asked beforehand.

extension Doctor {
    /// Looks for the hooks and merge programs: one that is missing stops writes or leaves conflicts.
    func examinePrograms(_ workspace: Workspace) {
        let programs = workspace.config.programs
        var isFine = true
        for program in programs {
            guard let mistake = program.mistake(in: workspace, session.environment) else {
                continue
            }
            isFine = false
            fault("programs", "\(program.setting): \(mistake.message)", hint: mistake.hint)
        }
        if isFine, !programs.isEmpty {
            note(
                "programs",
                "\(Quantity.count(programs.count, "program")) of settings can be started")
        }
    }

    /// Starts the backend's program and lets it ask its backend.
    func examineReach(_ open: OpenWorkspace) {
        guard open.workspace.context.backend != nil else { return }
        let known = attempt("reach") { () throws(ShellError) in
            (
                isTrusted: try session.isTrusted(open.workspace),
                isPaused: try session.isPaused(open),
                // What meets a backend first may make things there, such as a folder.
                isNew: try session.stored { () throws(StoreError) -> Bool in
                    if try open.store.meta(.identity) != nil { return false }
                    return try open.store.meta(.network) == nil
                },
                lastError: try session.stored { () throws(StoreError) in
                    try open.store.meta(.lastError)
                }
            )
        }
        guard let known, known.isTrusted else { return }
        if let error = known.lastError {
            note("sync", "the latest one failed: \(error)", hint: "try again: satchel sync")
        }
        if session.options.isOffline || session.settings.isOffline {
            return note("reach", "the backend was not asked: offline")
        }
        if known.isPaused {
            return note(
                "reach", "the backend was not asked: sync is paused",
                hint: "go on with: satchel sync resume")
        }
        if known.isNew {
            return note(
                "reach", "the backend was not asked: nothing was synced yet",
                hint: "the first time: satchel sync")
        }
        let answered: Void? = attempt("reach") { () throws(ShellError) in
            try session.withBackend(open) { (backend) throws(BackendError) in
                try backend.ping()
            }
        }
        if answered != nil { note("reach", "the backend answers") }
    }
}
