internal import Platform
internal import Records
internal import Storage
internal import Sync

// What a write with `--deliver` does after its commit.

extension Session {
    /// `--deliver`: pushes what the group changed, waits for its verdicts, and says what is left.
    func deliver(_ group: String, _ isAsked: Bool, _ open: OpenWorkspace) throws(ShellError)
        -> ExitCode
    {
        guard isAsked else { return .done }
        if open.store.isInBatch { throw .usage("--deliver cannot be part of --atomic") }
        let (groups, records) = try stored { () throws(StoreError) in
            try carriers(of: group, open.store)
        }
        var sync = SyncOptions()
        sync.pulls = false
        let outcome = try runSync(sync, groups: groups, open)
        if let failure = outcome.failure { throw ShellError(failure, now: clock.now()) }
        var left: [Mutation] = []
        for carrier in groups {
            left += try stored { () throws(StoreError) in
                try open.store.mutations(states: nil, group: carrier, after: 0, limit: .max)
                    .filter { carrier == group || records.contains($0.record) }
            }
        }
        let waiting = left.filter { ![.conflict, .rejected].contains($0.state) }
        try tellUndelivered(waiting, outcome.report, open)
        if left.contains(where: { $0.state == .conflict }) { return .conflicts }
        return left.isEmpty ? .done : .partial
    }

    /// The groups whose mutations hold what a group changed: a change of what was not sent yet is
    /// part of the earlier change, and goes with it.
    ///
    /// - Returns: That group first, and the records that the others are meant for.
    private func carriers(
        of group: String, _ store: Store
    ) throws(StoreError) -> (groups: [String], records: Set<RecordKey>) {
        let own = Set(try store.mutations(group: group).map(\.record))
        var groups = [group]
        var records: Set<RecordKey> = []
        for key in try store.journal(of: group).map(\.key) where !own.contains(key) {
            guard let last = try store.mutations(of: key).last, last.state != .rejected,
                records.insert(key).inserted
            else { continue }
            if !groups.contains(last.group) { groups.append(last.group) }
        }
        return (groups, records)
    }

    /// Says for what each of the changes waits that a delivery left in the queue.
    private func tellUndelivered(
        _ left: [Mutation], _ report: SyncReport, _ open: OpenWorkspace
    ) throws(ShellError) {
        guard !left.isEmpty else { return }
        if report.isReadOnly {
            return console.note(
                spoken(
                    "the backend is read-only: the change stays here; take it back: satchel undo"))
        }
        var lines: [String] = []
        for entry in try entries(of: Array(left.prefix(3)), open) {
            let reason = try self.reason(of: entry, open)
            lines.append("not delivered: \(entry.mutation.summary): \(reason)")
        }
        if left.count > lines.count { lines.append("and \(left.count - lines.count) more") }
        lines.append("  they stay queued; see them: satchel queue, send them: satchel sync")
        if left.count == 1 {
            lines[lines.count - 1] =
                "  it stays queued; see it: satchel queue show \(left[0].seq), "
                + "send it: satchel sync"
        }
        console.note(Sanitizer.lines(lines.map(spoken)), lines: .kept)
    }

    /// What one change waits for.
    private func reason(of entry: QueueEntry, _ open: OpenWorkspace) throws(ShellError) -> String {
        if let reason = entry.waitReason { return reason }
        let earlier = try stored { () throws(StoreError) in
            try open.store.mutations(of: entry.mutation.record).first { $0.state.isLive }
        }
        if let earlier, earlier.seq != entry.mutation.seq {
            return "it waits for \(QueueEntry.words(for: earlier))"
        }
        switch entry.mutation.state {
        case .unknown: return "what became of it is unknown; the next sync finds out"
        case .sending: return "another process is sending it"
        case .queued, .waiting, .conflict, .rejected: return "it was not taken this time"
        }
    }
}
