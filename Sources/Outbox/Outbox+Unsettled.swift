internal import JSON
package import Records
package import Storage

// A change that was refused though it may have arrived: what was queued behind it waits until that is
// found out, or the change is given up.
extension Outbox {
    /// Settles what a mutation that was just refused leaves behind in its record.
    ///
    /// Edits of what a create would have made wait for it, others stand on what was there before.
    /// Where it may have arrived all the same, whatever comes after it waits.
    package func leaveLater(than refused: Mutation) throws(StoreError) {
        for later in try store.mutations(of: refused.record) where later.seq > refused.seq {
            if !refused.hasUnknownOutcome, refused.kind != .create || later.kind == .create {
                break
            }
            if refused.hasUnknownOutcome {
                try keepBack(later, until: refused.seq)
            } else {
                try hold(later, on: refused.seq)
            }
        }
        if refused.kind != .create { try standLater(without: refused) }
    }

    /// Has a mutation wait until it is known what became of a refused one, also where it is to be
    /// decided by a person meanwhile.
    private func keepBack(_ later: Mutation, until seq: Int64) throws(StoreError) {
        if later.state == .conflict {
            try store.addDependency(seq: later.seq, on: seq)
        } else {
            try hold(later, on: seq)
        }
    }

    /// Those of one record's live mutations that wait to know whether a refused one before them
    /// arrived: until then nobody can tell what they are to be merged with.
    func held(_ live: [Mutation]) throws(StoreError) -> Set<Int64> {
        var held: Set<Int64> = []
        for mutation in live where try !unsettled(before: mutation).isEmpty {
            held.insert(mutation.seq)
        }
        return held
    }

    /// The refused mutations of its own record that a mutation waits for.
    private func unsettled(before mutation: Mutation) throws(StoreError) -> [Int64] {
        guard mutation.state == .waiting || mutation.state == .conflict else { return [] }
        var found: [Int64] = []
        for seq in try store.dependencies(of: mutation.seq) {
            guard let other = try store.mutation(seq), other.record == mutation.record,
                other.state == .rejected, other.hasUnknownOutcome
            else { continue }
            found.append(seq)
        }
        return found
    }

    /// Lets what waited for a refused mutation of its record come after it again, now that its outcome
    /// is asked for.
    ///
    /// It stands on what that set; what was made since stands on what was in view.
    func resumeLater(than mutation: Mutation) throws(StoreError) {
        // What refers to the record of a create waits until that is delivered.
        if mutation.kind == .create { return }
        if mutation.kind != .delete {
            let held = Set(try store.dependents(on: mutation.seq))
            try standLater(
                than: mutation, from: mutation.was, on: mutation.set, only: held.contains)
        }
        for later in try store.mutations(of: mutation.record) where later.seq > mutation.seq {
            try store.removeDependency(seq: later.seq, on: mutation.seq)
            let free = try stillWaiting(later)
            if free != later { try store.updateMutation(free) }
        }
    }

    /// Puts later edits of the record on what was there before a mutation that is given up, but for
    /// what the backend holds of it: of unknown outcome, it did arrive.
    func standLater(given up: Mutation, _ base: Base) throws(StoreError) {
        var (missed, arrived) = (JSONObject(), JSONObject())
        for (name, value) in up.set.pairs {
            if up.hasUnknownOutcome, let there = base.record, there[name] ?? .null == value {
                arrived[name] = up.was[name] ?? .null
            } else {
                missed[name] = value
            }
        }
        if up.state.isLive {
            try standLater(than: up, from: missed, on: up.was)
        } else if up.hasUnknownOutcome {
            // They were put on what was there before when it was refused.
            try standLater(than: up, from: arrived, on: up.set)
        }
    }

    /// Has what comes after a mutation that leaves the queue wait for what that waited for, as long
    /// as nobody knows what became of it.
    func passHolds(of gone: Mutation) throws(StoreError) {
        for seq in try unsettled(before: gone) {
            for later in try store.mutations(of: gone.record) where later.seq > gone.seq {
                try keepBack(later, until: seq)
            }
        }
    }
}
