internal import Records
internal import Sync

/// What people are told of what happens to single records in a sync.
///
/// Commands in it are as a shell takes them; at the prompt `replacingProgram` takes the name away.
struct NoticeText: Equatable {
    enum Weight { case detail, note, warning }

    let weight: Weight
    let text: String

    /// Nil for what is shown as progress, or only once it is decided.
    init?(_ notice: SyncNotice) {
        switch notice {
        case .pulled, .conflict(_, "command"): return nil
        case .delivered(let mutation): (weight, text) = (.detail, "delivered \(mutation.summary)")
        case .rejected(let mutation) where mutation.kind == .delete:
            weight = .warning
            text =
                "refused: \(mutation.summary): \(mutation.failure?.message ?? "no reason given")\n"
                + "  the record is back here; ask for the delete again: "
                + "satchel queue retry \(mutation.seq), or give it up: "
                + "satchel queue drop \(mutation.seq)"
        case .rejected(let mutation):
            weight = .warning
            text =
                "refused: \(mutation.summary): \(mutation.failure?.message ?? "no reason given")\n"
                + "  rolled back here; repair it: satchel queue edit \(mutation.seq) FIELD=VALUE, "
                + "then: satchel queue retry \(mutation.seq)"
        case .conflict(let key, let kind):
            weight = .warning
            text =
                "conflict (\(kind)): \(key.model) \(key.id)\n"
                + "  look at it: satchel conflicts show \(key.model) \(key.id)"
        case .undecided(let key, let reason):
            (weight, text) = (.warning, "conflict: \(key.model) \(key.id): \(reason)")
        case .quarantined(let key, let reason):
            // A value of any size can be part of the reason; the quarantine shows it whole.
            let short = reason.unicodeScalars.prefix(300)
            let isWhole = short.endIndex == reason.unicodeScalars.endIndex
            let words = String(short) + (isWhole ? "" : "…")
            (weight, text) = (.warning, "quarantined: \(key.model) \(key.id): \(words)")
        case .doubtful(let model, let count):
            weight = .warning
            text =
                "\(Quantity.count(count, "record")) of \(model) kept here that the backend did not "
                + "list: it gave data without a readable id, which may be one of them\n"
                + "  look at it: satchel quarantine list"
        case .modelRefused(let model, let reason):
            (weight, text) = (.warning, "\(model) was refused: \(reason)")
        case .restarted(let model, let reason):
            (weight, text) = (.note, "pulling all of \(model) again: \(reason)")
        case .waiting(let milliseconds, let reason):
            // Over before it is read; what keeps coming back is told when the pauses grow.
            guard milliseconds >= 1_000 else { return nil }
            let time = Quantity.duration(seconds: Int(milliseconds / 1_000))
            (weight, text) = (.note, "waiting \(time): \(reason)")
        }
    }
}
