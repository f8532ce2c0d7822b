internal import Plugins
internal import Records
internal import Sync

/// What people are told of what happens to single records in a sync.
///
/// Commands in it are as a shell takes them; at the prompt `replacingProgram` takes the name away.
struct NoticeText: Equatable {
    enum Weight { case detail, note, warning }

    let weight: Weight
    /// Lines that are safe each: what they quote is the backend's.
    let text: String

    /// Nil for what is shown as progress, or only once it is decided.
    init?(_ notice: SyncNotice) {
        let lines: [String]
        switch notice {
        case .pulled, .conflict(_, "command"): return nil
        case .delivered(let mutation):
            (weight, lines) = (.detail, ["delivered \(mutation.summary)"])
        case .rejected(let mutation) where mutation.kind == .delete:
            weight = .warning
            lines = [
                "refused: \(mutation.summary): \(mutation.failure?.message ?? "no reason given")",
                "  the record is back here; ask for the delete again: "
                    + "satchel queue retry \(mutation.seq), or give it up: "
                    + "satchel queue drop \(mutation.seq)",
            ]
        case .rejected(let mutation):
            weight = .warning
            lines = [
                "refused: \(mutation.summary): \(mutation.failure?.message ?? "no reason given")",
                "  rolled back here; repair it: satchel queue edit \(mutation.seq) FIELD=VALUE, "
                    + "then: satchel queue retry \(mutation.seq)",
            ]
        case .conflict(let key, let kind):
            weight = .warning
            lines = [
                "conflict (\(kind)): \(key.model) \(key.id)",
                "  look at it: satchel conflicts show \(key.model) \(key.id)",
            ]
        case .undecided(let key, let reason):
            (weight, lines) = (.warning, ["conflict: \(key.model) \(key.id): \(reason)"])
        case .quarantined(let key, let reason):
            // A value of any size can be part of the reason; the quarantine shows it whole.
            let short = reason.unicodeScalars.prefix(300)
            let isWhole = short.endIndex == reason.unicodeScalars.endIndex
            let words = String(short) + (isWhole ? "" : "…")
            (weight, lines) = (.warning, ["quarantined: \(key.model) \(key.id): \(words)"])
        case .doubtful(let model, let count):
            weight = .warning
            lines = [
                "\(Quantity.count(count, "record")) of \(model) kept here that the backend did not "
                    + "list: it gave data without a readable id, which may be one of them",
                "  look at it: satchel quarantine list",
            ]
        case .modelRefused(let model, let reason):
            (weight, lines) = (.warning, ["\(model) was refused: \(reason)"])
        case .restarted(let model, let reason):
            (weight, lines) = (.note, ["pulling all of \(model) again: \(reason)"])
        case .waiting(let milliseconds, let reason):
            // Over before it is read; what keeps coming back is told when the pauses grow.
            guard milliseconds >= 1_000 else { return nil }
            let time = Quantity.duration(seconds: Int(milliseconds / 1_000))
            (weight, lines) = (.note, ["waiting \(time): \(reason)"])
        }
        text = Sanitizer.lines(lines)
    }
}

extension SyncNotice {
    /// The notice without secrets in what it quotes: a backend may give them back in its data.
    func masked(by masker: Masker) -> SyncNotice {
        func masked(_ key: RecordKey) -> RecordKey {
            RecordKey(key.model, RecordID(masker.mask(key.id.text)))
        }
        return switch self {
        case .conflict(let key, let kind): .conflict(masked(key), kind: kind)
        case .undecided(let key, let reason):
            .undecided(masked(key), reason: masker.mask(reason))
        case .quarantined(let key, let reason):
            .quarantined(masked(key), reason: masker.mask(reason))
        case .modelRefused(let model, let reason):
            .modelRefused(model: model, reason: masker.mask(reason))
        case .restarted(let model, let reason):
            .restarted(model: model, reason: masker.mask(reason))
        case .waiting(let milliseconds, let reason):
            .waiting(milliseconds: milliseconds, reason: masker.mask(reason))
        // Of changes made here; what the backend said of them is masked where it comes in.
        case .delivered, .rejected, .doubtful, .pulled: self
        }
    }
}
