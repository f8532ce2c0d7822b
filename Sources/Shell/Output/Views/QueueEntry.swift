package import JSON
package import Records
internal import Sync

/// A queued mutation as `queue` lists it.
package struct QueueEntry: Listed, Sendable {
    package var mutation: Mutation
    /// What it waits for; people are told.
    package var prerequisites: [Mutation]
    /// What the backend asked for before anything is sent to it.
    package var wait: BackendWait?
    /// Milliseconds since 1970; later times are told as such.
    package var now: Int64

    package init(
        _ mutation: Mutation, waitingFor prerequisites: [Mutation] = [], wait: BackendWait? = nil,
        now: Int64 = .max
    ) {
        self.mutation = mutation
        self.prerequisites = prerequisites
        self.wait = wait
        self.now = now
    }

    /// When it may be sent, in milliseconds since 1970; nil where nothing was said of that.
    private var nextAttempt: Int64? {
        let own = mutation.notBefore > 0 ? mutation.notBefore : nil
        guard [.queued, .unknown].contains(mutation.state), let wait else { return own }
        return max(own ?? 0, wait.until)
    }

    package static let keys = [
        "seq", "key", "model", "id", "kind", "state", "set", "was", "attempts", "next_attempt_at",
        "error", "group", "created_at",
    ]

    package var values: [JSONValue] {
        [
            .int(mutation.seq), .string(mutation.key), .string(mutation.model),
            .string(mutation.id.text), .string(mutation.kind.rawValue),
            .string(mutation.state.rawValue), .object(mutation.set), .object(mutation.was),
            .int(Int64(mutation.attempts)),
            instant(nextAttempt),
            mutation.failure?.json ?? .null, .string(mutation.group), instant(mutation.createdAt),
        ]
    }

    package static let columns = [
        Column("seq", .value(0), alignment: .right, isKey: true), Column("state", .value(1)),
        Column("kind", .value(2)), Column("model", .value(3)),
        Column("id", .value(4), isElided: true), Column("fields", .value(5), weight: .light),
        Column("error", .value(6), weight: .telling),
    ]

    package var cells: [JSONValue] {
        [
            .int(mutation.seq), .string(mutation.state.rawValue), .string(mutation.kind.rawValue),
            .string(mutation.model), .string(mutation.id.text),
            .string(mutation.set.keys.joined(separator: ", ")),
            .string(reason),
        ]
    }

    private var reason: String { waitReason ?? mutation.failure?.message ?? "" }

    /// What it waits for: a time, or other changes; nil where that is not known.
    var waitReason: String? {
        if [.queued, .unknown].contains(mutation.state), let next = nextAttempt, next > now {
            // The one of the two that ends later, with its own reason.
            let reason = next == wait?.until ? wait?.reason : mutation.failure?.message
            return BackendWait.words("waits until", next, reason, now: now)
        }
        // What befell it before it had to wait is no reason any more.
        guard mutation.state == .waiting || mutation.failure == nil, !prerequisites.isEmpty else {
            return nil
        }
        return "waits for \(waitedFor.joined(separator: "; "))"
    }

    /// Such as "7, create of Author a1 (rejected)".
    private var waitedFor: [String] { prerequisites.map(Self.words) }

    static func words(for other: Mutation) -> String {
        "\(other.seq), \(other.summary) (\(other.state.rawValue))"
    }

    package var handle: JSONValue { .int(mutation.seq) }
}

extension Mutation.Failure {
    /// `{kind,message,field}`.
    package var json: JSONValue {
        [
            "kind": .string(kind), "message": .string(message),
            "field": field.map { .string($0) } ?? .null,
        ]
    }
}

extension QueueEntry {
    /// What `queue show` says on a terminal: where it stands, why, and each field's change.
    ///
    /// The values of `secrets` are masked.
    package func text(secrets: Set<String> = [], now: Int64, _ style: Style = .plain) -> String {
        var card = TextCard(style)
        card.line("mutation", "\(mutation.seq) \(mutation.kind.rawValue)")
        card.line("record", "\(mutation.model) \(mutation.id.text)")
        card.line("state", mutation.state.rawValue)
        if let failure = mutation.failure {
            let field = failure.field.map { " (\($0))" } ?? ""
            card.line("error", "\(failure.kind)\(field): \(failure.message)")
        }
        for text in waitedFor { card.line("waits for", text) }
        if mutation.attempts > 0 { card.line("attempts", "\(mutation.attempts)") }
        if let next = nextAttempt, next > now {
            let span = Quantity.duration(seconds: Int((next - now + 999) / 1000))
            card.line("next try", "in \(span)")
        }
        if let wait, [.queued, .unknown].contains(mutation.state) {
            card.line("waits", wait.text(now: now))
        }
        card.line("made", age(of: mutation.createdAt, at: now))
        for (field, value) in mutation.set.pairs {
            let isSecret = secrets.contains(field)
            let new = isSecret ? "••••" : shown(value)
            let old = mutation.was[field].map { isSecret ? "••••" : shown($0) }
            card.line("  \(field)", old.map { "\($0) → \(new)" } ?? new)
        }
        switch mutation.state {
        case .rejected where mutation.kind == .delete:
            card.hint("queue retry \(mutation.seq) asks for the delete again")
            card.hint("queue drop \(mutation.seq) gives it up: the record stays")
        case .rejected:
            card.hint("queue edit \(mutation.seq) FIELD=VALUE repairs it, then queue retry")
            card.hint("queue drop \(mutation.seq) gives it up")
        case .conflict:
            card.hint("conflicts show \(mutation.model) \(mutation.id.text)")
        case .waiting:
            for other in prerequisites where [.rejected, .conflict].contains(other.state) {
                card.hint("queue show \(other.seq) says what stands in its way")
            }
        case .queued, .sending, .unknown: break
        }
        return card.text
    }
}

/// A value within a sentence: a text as it is, else as JSON.
func shown(_ value: JSONValue) -> String { value.text ?? value.serialized() }
