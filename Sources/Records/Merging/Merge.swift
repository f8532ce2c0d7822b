package import JSON

/// A field that both sides changed, each to another value; null where there is none.
package struct FieldConflict: Sendable, Equatable {
    package var field: String
    package var base: JSONValue
    package var local: JSONValue
    package var remote: JSONValue

    package init(field: String, base: JSONValue, local: JSONValue, remote: JSONValue) {
        self.field = field
        self.base = base
        self.local = local
        self.remote = remote
    }
}

/// The outcome of a three-way merge, field by field.
package struct Merge: Sendable, Equatable {
    /// The local changes that remain to be sent, over the remote record.
    package var set: JSONObject
    /// What the remote holds of the fields of `set`: their new `was`.
    package var was: JSONObject
    /// Fields that a person must settle; they are not in `set`.
    package var conflicts: [FieldConflict]
    /// Fields that the policy's program must settle; they are not in `set`.
    package var needsCommand: [FieldConflict]

    package init(
        set: JSONObject = JSONObject(), was: JSONObject = JSONObject(),
        conflicts: [FieldConflict] = [], needsCommand: [FieldConflict] = []
    ) {
        self.set = set
        self.was = was
        self.conflicts = conflicts
        self.needsCommand = needsCommand
    }
}

/// Carries local changes over to a remote record that moved on from their base.
///
/// ```
///     B ──── was ───> L = set          R = B: L stays       L = R: nothing to send, but for
///      \                               L = B: R stays       counters; else: the policy decides
///       `──────────> R = remote
/// ```
/// No clock is asked. A missing member counts as null. Values are equal as JSON: numbers by
/// value, texts by bytes, so two spellings of one instant are two values and neither is lost.
package func merge(
    set: JSONObject, was: JSONObject, remote: JSONObject, policies: MergePolicies
) -> Merge {
    var result = Merge()
    for (field, local) in set.pairs {
        let conflict = FieldConflict(
            field: field, base: was[field] ?? .null, local: local, remote: remote[field] ?? .null)
        let policy = policies.policy(of: field)
        switch conflict.resolved(by: policy, as: policies.instants[field]) {
        case .value(let value):
            if value == conflict.remote { continue }
            result.set.append(field, value)
            result.was.append(field, conflict.remote)
        case .person: result.conflicts.append(conflict)
        case .program: result.needsCommand.append(conflict)
        }
    }
    return result
}

extension FieldConflict {
    enum Resolution: Equatable {
        case value(JSONValue)
        case person
        case program
    }

    /// The value in the end, or who is to find it; `instant` is what the texts are, where they are
    /// dates or times.
    func resolved(by policy: MergePolicy, as instant: Scalar? = nil) -> Resolution {
        if remote == base { return .value(local) }
        if local == base { return .value(remote) }
        if local == remote {
            // Two who raise a counter alike both raise it.
            if policy == .counter, case .value(let sum) = counter() { return .value(sum) }
            return .value(remote)
        }
        switch policy {
        case .manual: return .person
        case .server: return .value(remote)
        case .local: return .value(local)
        case .max: return extreme(.after, instant)
        case .min: return extreme(.before, instant)
        case .union: return union()
        case .counter: return counter()
        case .command: return .program
        }
    }

    private func extreme(_ wanted: Order, _ instant: Scalar?) -> Resolution {
        if local.isNull { return .value(remote) }
        if remote.isNull { return .value(local) }
        guard let order = order(local, remote, instant) else { return .person }
        return .value(order == wanted ? local : remote)
    }

    private func order(_ left: JSONValue, _ right: JSONValue, _ instant: Scalar?) -> Order? {
        switch (left, right) {
        case (.string(let a), .string(let b)):
            if let instant { return InstantKey.compare(a, b, instant) }
            return TextOrder.compare(a, b)
        case (.bool(let a), .bool(let b)): return Order(a ? 1 : 0, b ? 1 : 0)
        default: return NumberText.compare(left, right)
        }
    }

    /// The remote's elements in their order, then ours that are new, without those we removed.
    private func union() -> Resolution {
        func list(_ value: JSONValue) -> [JSONValue]? { value.isNull ? [] : value.elements }
        guard let base = list(base), let local = list(local), let remote = list(remote) else {
            return .person
        }
        let (known, kept, theirs) = (Set(base), Set(local), Set(remote))
        var result = remote.filter { kept.contains($0) || !known.contains($0) }
        var added: Set<JSONValue> = []
        for element in local where !known.contains(element) && !theirs.contains(element) {
            if added.insert(element).inserted { result.append(element) }
        }
        return .value(.array(result))
    }

    private func counter() -> Resolution {
        let base = base.isNull ? .int(0) : base
        let remote = remote.isNull ? .int(0) : remote
        switch (base.canonicalNumber, local.canonicalNumber, remote.canonicalNumber) {
        case (.int(let base), .int(let local), .int(let remote)):
            let (difference, underflow) = local.subtractingReportingOverflow(base)
            let (sum, overflow) = remote.addingReportingOverflow(difference)
            return underflow || overflow ? .person : .value(.int(sum))
        case (.big, _, _), (_, .big, _), (_, _, .big): return .person
        default:
            guard let base = base.doubleValue, let local = local.doubleValue,
                let remote = remote.doubleValue
            else { return .person }
            let sum = remote + (local - base)
            return sum.isFinite ? .value(JSONValue.double(sum).canonicalNumber) : .person
        }
    }
}
