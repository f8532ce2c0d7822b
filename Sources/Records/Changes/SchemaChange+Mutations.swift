internal import JSON

// Queued mutations
extension SchemaChange {
    /// A mutation as it stands under the new schema.
    package struct Carried: Sendable, Equatable {
        package var mutation: Mutation
        /// True when what would be sent is not what it was.
        package var isRewritten = false
        /// Why it cannot be sent any more; nil when it can.
        package var misfit: Mutation.Failure?
    }

    /// What becomes of a mutation, whose model goes by its present name already.
    ///
    /// What was sent and has no verdict yet keeps its key, which stands for that change, and says the
    /// same in present names and types: it may be sent again, to a backend that is told of those.
    /// Nothing is asked of it, unless its model is gone.
    package func carried(_ mutation: Mutation) -> Carried {
        guard let change = model(mutation.model) else { return Carried(mutation: mutation) }
        guard let model = change.new else {
            return Carried(
                mutation: mutation,
                misfit: SchemaMisfit.model(successor(of: change.old)).failure(of: mutation))
        }
        var carried = mutation
        carried.set = change.carried(values: mutation.set, in: new)
        carried.was = change.carried(values: mutation.was, in: new)
        if mutation.hasUnknownOutcome { return Carried(mutation: carried) }
        if mutation.kind == .create || mutation.kind == .replace {
            for field in change.demanded where carried.set.index(of: field.name) == nil {
                if let value = field.defaultValue { carried.set[field.name] = value }
            }
        }
        var result = Carried(mutation: carried, isRewritten: carried.set != mutation.set)
        let wasParked = mutation.failure?.kind == Mutation.Failure.schemaKind
        // What left in earlier changes may be in a whole record for good reason.
        let examiner = MisfitExaminer(
            model: model, schema: new,
            gone: wasParked ? gone[model.name] ?? [] : change.removed,
            secret: change.old.fields.filter(\.isSecret).map { change.presentName(of: $0.name) })
        var misfit =
            wasParked
            ? examiner.misfit(of: carried)
            : examiner.misfit(
                of: carried, judging: change.judged, demanding: change.demanded.map(\.name))
        if misfit == nil, change.isRekeyed, !examiner.keepsID(carried) {
            misfit = .key(old: change.old.key, new: model.key)
        }
        if case .removed(let fields, _)? = misfit {
            misfit = .removed(
                fields, successor: fields.count == 1 ? change.successor(of: fields[0]) : nil)
        }
        result.misfit = misfit?.failure(of: carried)
        return result
    }

    /// The new model that a removed one may have become.
    private func successor(of model: Model) -> String? {
        let added = new.models.filter { candidate in
            candidate.renamedFrom == nil && !models.contains { $0.old.name == candidate.name }
        }
        let alike = added.filter { $0.fields.map(\.name) == model.fields.map(\.name) }
        if alike.count == 1 { return alike[0].name }
        return didYouMean(model.name, among: added.map(\.name))
    }
}

extension Mutation {
    /// Sent, and nobody knows what became of it: also when its model left the schema meanwhile, or
    /// it was refused in the end.
    package var hasUnknownOutcome: Bool {
        state == .sending || state == .unknown || isUnsettled
            || state == .rejected && isFrozen && failure?.kind == Failure.schemaKind
    }

    /// Refused, though it may have arrived before.
    package var isUnsettled: Bool {
        state == .rejected && isFrozen && failure?.kind == Failure.unsettledKind
    }
}

extension Mutation.Failure {
    /// Of a mutation that does not fit the schema any more.
    package static let schemaKind = "schema"
    /// Of a mutation that was refused for what befell a whole push, though it may have arrived in an
    /// earlier one: it is tried again under its key.
    package static let unsettledKind = "unsettled"
    /// Kinds by which Satchel goes on with a refused mutation.
    private static let ownKinds: Set = [schemaKind, unsettledKind]

    /// The backend's verdict on a mutation, with its own code.
    ///
    /// A code that would read as one of Satchel's own kinds stands in the message instead: nothing
    /// that a backend says makes a refused mutation go again under its old key.
    package static func verdict(_ code: String?, _ message: String, field: String?) -> Self {
        guard let code, ownKinds.contains(code) else {
            return Self(kind: code ?? "rejected", message: message, field: field)
        }
        return Self(kind: "rejected", message: "\(code): \(message)", field: field)
    }
}
