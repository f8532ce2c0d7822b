/// What goes wrong in the world around the engine.
package enum Fault: Int, CaseIterable, Sendable {
    // On the way to the backend.
    case requestLost, requestLate, requestDoubled, serverError, rateLimited, unauthorized
    case replyLost, replyMalformed
    // In a push.
    case pushTooLarge, verdictRetry, verdictMissing, verdictAuth, conflictUntold
    // In a pull.
    case cursorRefused, pageTooLarge, pageLate, pageDoubled, pageCut, recordRaw, itemNameless
    case fetchRefused
    // In the stream of events.
    case eventsCut, eventsGap, eventLost, eventDoubled, eventsReordered
    // In the process and its store.
    case crash, storeBusy, storeFull, interleaved
    // In what people and their programs do.
    case badValue, sickValue, hugeValue, resolverFailed, resolverUnasked, resolverRubbish
    // In the backend's data; drawn as actions.
    case epochReset, dataLost, windowExpired, tombstonesExpired, recordBroken, fieldUnknown
    case dataSetChanged, writesRefused, clockAhead, clockBack
}
