/// A fault that the tests build into the engine, to see that the simulation finds it.
///
/// A release holds none: `sabotage` is the constant false there, so that what it guards is gone.
@usableFromInline
package enum Sabotage: CaseIterable, Sendable {
    /// A rebase leaves the record in view as it was.
    case forgetRefold
    /// The cursor is saved before its page is in.
    case advanceCursorEarly
    /// A refusal is taken for nothing: the mutation goes, nobody is told.
    case dropVerdict
    /// What may have arrived is sent again under another key.
    case resendUnderNewKey
    /// A created record takes up a reference to a record that is created after it.
    case coalesceAcrossReference
    /// "Not now" is taken for yes.
    case countRetryAsSuccess
    /// A pulled record replaces what is in view, whatever is queued on it.
    case applyEchoOverLive
    /// A page counts however old it is by the time it arrives.
    case trustOldPage
    /// A page goes in although another process has moved the cursor since.
    case ignoreCursorSwap
    /// A mutation does not wait for the record it refers to.
    case pushDependentFirst
    /// After a merge the mutation still stands on the values of before.
    case forgetWas
    /// No verdict is taken for yes.
    case treatUnknownAsSuccess
    /// What was on its way in a crash is taken for never sent.
    case treatUnknownAsUnsent
    /// A pulled deletion is passed over.
    case loseTombstone
    /// A full pull removes what it did not meet, however much that is.
    case skipDeletionGuard
    /// A refused mutation stays in view.
    case parkWithoutRollback
    /// A failure of a batch is charged to each in it.
    case chargeSiblings
    /// What waited for a delivered mutation waits on.
    case forgetDependents
    /// The second half of a page is passed over.
    case applyHalfPage
    /// A delete of what is gone already counts as refused.
    case refuseMissingDelete
    /// A clock that jumped back makes the queue wait as long.
    case forgetClockJump
    /// A repeated answer counts as news.
    case trustRepeatedAnswer
    /// An edit is folded into a mutation that is on its way.
    case swallowEdit
    /// A delete and a create of one id cancel out.
    case forgetReplace
    /// What cannot be read is passed over in silence.
    case dropUnreadable
    /// A full pull counts as whole though one of its items told no id.
    case trustNamelessPull
    /// A record that a full pull did not meet keeps its base while edits wait on it.
    case keepVanishedBase
    /// A record gets its backend's id, those that refer to it keep the old one.
    case forgetRenaming
    /// Records outside the filter are kept.
    case ignoreScope
    /// A changed filter goes on from the old cursor.
    case keepCursorOfOldScope
    /// A history that began anew is taken for the old one.
    case ignoreEpoch
    /// Another data set is taken for the old one.
    case ignoreIdentity
    /// A parent's delete does not wait for its children's.
    case deleteParentFirst
    /// A process sends though another one holds the lease.
    case ignoreLease
    /// What was being sent in a crash stays so.
    case forgetInFlight
    /// A schema change leaves queued work under the names and types of before.
    case forgetCarrying
    /// Queued work that does not fit a new schema is dropped.
    case dropMisfit
}

#if SABOTAGE
    extension Sabotage {
        /// What is broken in this task; nil for nothing.
        @TaskLocal package static var active: Sabotage?
    }

    /// True when this fault is the one that is built in.
    package func sabotage(_ fault: Sabotage) -> Bool { Sabotage.active == fault }
#else
    @inlinable
    @inline(__always)
    package func sabotage(_ fault: Sabotage) -> Bool { false }
#endif
