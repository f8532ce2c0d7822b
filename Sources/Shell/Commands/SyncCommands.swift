internal import Platform
internal import Records
internal import Storage
internal import Sync

extension Session {
    func sync(_ request: SyncRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        switch request {
        case .pause:
            try setPaused(true, open)
            console.note(spoken("paused; changes stay queued until: satchel sync resume"))
            return .done
        case .resume:
            try setPaused(false, open)
            console.note("resumed")
            return .done
        case .run(let run): return try sync(run, open)
        }
    }

    private func setPaused(_ isPaused: Bool, _ open: OpenWorkspace) throws(ShellError) {
        try stored { () throws(StoreError) in
            try open.store.write { () throws(StoreError) in
                try open.store.setMeta(.paused, isPaused ? "1" : nil)
            }
        }
        worker?.setPaused(isPaused)
    }

    private func sync(_ request: SyncRequest.Run, _ open: OpenWorkspace) throws(ShellError)
        -> ExitCode
    {
        if open.store.isInBatch { throw .usage("sync cannot be part of --atomic") }
        var sync = SyncOptions()
        sync.pushes = request.pushes
        sync.pulls = request.pulls
        sync.full = request.isFull
        sync.acceptDeletions = request.acceptsDeletions || options.assumesYes
        sync.acceptRemote = request.acceptsRemote
        if !request.models.isEmpty {
            var names: [String] = []
            for name in request.models { names.append(try open.model(name).name) }
            sync.models = names
        }
        if options.isDryRun {
            try previewSync(sync, open)
            return .done
        }
        let outcome = try runSync(sync, open)
        try writeSummary(outcome)
        if let failure = outcome.failure { throw ShellError(failure, now: clock.now()) }
        let code = outcome.report.exitCode(pushes: request.pushes, pulls: request.pulls)
        if code != .done { try explain(outcome.report, pushes: request.pushes, open) }
        return code
    }

    /// Says what is left and where to see it, so that no code comes without a reason.
    private func explain(
        _ report: SyncReport, pushes: Bool, _ open: OpenWorkspace
    ) throws(ShellError) {
        var lines: [String] = []
        if report.conflicts > 0 {
            lines.append(
                "\(Quantity.count(report.conflicts, "record")) in conflict: satchel conflicts")
        }
        let undelivered = report.rejected + report.remaining
        if undelivered > 0, report.isReadOnly {
            lines.append(
                "the backend is read-only: \(Quantity.count(undelivered, "change")) "
                    + (undelivered == 1 ? "stays" : "stay") + " here; "
                    + "give them up: satchel queue drop all")
        } else if undelivered > 0 {
            lines.append("\(Quantity.count(undelivered, "change")) not delivered: satchel queue")
        }
        if pushes, report.remaining > 0, !report.isReadOnly {
            let wait = try stored { () throws(StoreError) in
                try BackendWait.found(in: open.store, now: clock.now())
            }
            if let wait { lines.append(wait.text(now: clock.now())) }
        }
        if report.quarantined > 0 {
            lines.append(
                "\(Quantity.count(report.quarantined, "item")) not understood: satchel quarantine")
        }
        if !report.complete { lines.append("not everything was pulled: satchel status") }
        if !lines.isEmpty { console.note(Sanitizer.lines(lines.map(spoken)), lines: .kept) }
    }

    private func writeSummary(_ outcome: SyncOutcome) throws(ShellError) {
        let report = outcome.report
        var summary = SyncSummary()
        summary.pushed = report.pushed
        summary.pulled = report.pulled
        summary.deleted = report.deleted
        summary.conflicts = report.conflicts
        summary.rejected = report.rejected
        summary.waiting = report.waiting
        summary.remaining = report.remaining
        // What failed is not caught up, whatever was pulled before.
        summary.isComplete = report.complete && outcome.failure == nil
        try listing().write(summary, to: output)
    }

    /// What a sync would push; what it would pull only the backend knows.
    private func previewSync(_ sync: SyncOptions, _ open: OpenWorkspace) throws(ShellError) {
        let mutations = try stored { () throws(StoreError) in
            try open.store.mutations(
                states: [.queued, .unknown, .waiting], group: nil, after: 0, limit: .max)
        }
        let listing = try listing()
        try listing.write(
            mutations.filter { sync.models?.contains($0.model) ?? true }.map { QueueEntry($0) },
            to: output)
        console.note("nothing was done")
    }
}

extension SyncReport {
    /// 0 only when caught up: of the queue for a push, of the data for a pull.
    func exitCode(pushes: Bool, pulls: Bool) -> ExitCode {
        var code = ExitCode.done
        if pulls, !complete || quarantined > 0 || !refusedModels.isEmpty {
            code = code.merged(with: .partial)
        }
        guard pushes else { return code }
        if conflicts > 0 { code = code.merged(with: .conflicts) }
        if rejected > 0 || remaining > 0 { code = code.merged(with: .partial) }
        return code
    }
}
