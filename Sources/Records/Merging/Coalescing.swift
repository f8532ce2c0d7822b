internal import JSON

/// What two pending mutations of one record become.
package enum Coalesced: Sendable, Equatable {
    /// Both stay, in their order.
    case separate
    /// Both go: the backend never hears of the record.
    case vanishes
    /// One stands for both, in the earlier one's place.
    case merged(Mutation)
}

extension Mutation {
    /// What this mutation and the next one of the same record become.
    ///
    /// | earlier | later | becomes |
    /// | --- | --- | --- |
    /// | create | update | create with the merged fields |
    /// | update | update | update: later values, first `was` |
    /// | create | delete | nothing |
    /// | update, replace | delete | delete |
    /// | delete | create | replace: never nothing, the backend holds the old record |
    /// | replace | update | replace with the merged fields |
    ///
    /// Only where neither was ever sent: a frozen payload must stay what its key stands for. The
    /// result keeps the place, key and group of the earlier one; it waits if either waited.
    ///
    /// `refersToLaterCreate` says that `later` points at a record created after this mutation.
    /// The created record cannot then carry the reference, for the other may need it in turn.
    package func absorbing(_ later: Mutation, refersToLaterCreate: Bool) -> Coalesced {
        guard isUnsent, later.isUnsent, record == later.record else { return .separate }
        var result = self
        if later.state == .waiting { result.state = .waiting }
        switch (kind, later.kind) {
        case (.create, .update), (.replace, .update):
            if refersToLaterCreate { return .separate }
            result.set = set.overlaid(with: later.set)
        case (.update, .update):
            result.set = set.overlaid(with: later.set)
            result.was = later.was.overlaid(with: was)
        case (.create, .delete):
            return .vanishes
        case (.update, .delete), (.replace, .delete):
            result.kind = .delete
            result.set = JSONObject()
        case (.delete, .create), (.delete, .replace), (.update, .replace), (.replace, .replace):
            if refersToLaterCreate { return .separate }
            result.kind = .replace
            result.set = later.set
        case (.create, .replace):
            if refersToLaterCreate { return .separate }
            result.set = later.set
        case (.create, .create), (.update, .create), (.replace, .create), (.delete, .update),
            (.delete, .delete):
            // No command makes these of a record; what was asked for is kept as it is.
            return .separate
        }
        return .merged(result)
    }

    /// A replacement with null for each value that it takes from the record: as an edit of that
    /// field, it meets what others made of it.
    package func clearing(_ model: Model) -> Mutation {
        var result = self
        for (name, value) in was.pairs where !value.isNull && set.index(of: name) == nil {
            guard let field = model.field(name), !field.isReadOnly, !model.key.contains(name)
            else { continue }
            result.set.append(name, .null)
        }
        return result
    }

    /// True before the first send: nobody else has seen the payload.
    package var isUnsent: Bool {
        !isFrozen && attempts == 0 && (state == .queued || state == .waiting)
    }
}
