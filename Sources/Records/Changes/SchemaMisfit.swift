internal import JSON

/// Why a queued mutation does not fit the schema any more, and what a person can do.
package enum SchemaMisfit: Sendable, Equatable {
    /// The model is gone; maybe it has another name now.
    case model(String?)
    /// Fields it sets are gone; maybe the only one has become another.
    case removed([String], successor: Field?)
    /// A value does not fit its field.
    case value(field: String, reason: String)
    /// It makes a record without a value that is needed.
    case required(Field)
    /// Records of the model have other ids now.
    case key(old: [String], new: [String])

    package func failure(of mutation: Mutation) -> Mutation.Failure {
        Mutation.Failure(
            kind: Mutation.Failure.schemaKind, message: message(for: mutation), field: field)
    }

    private var field: String? {
        switch self {
        case .model, .key: nil
        case .removed(let fields, _): fields.first
        case .value(let field, _): field
        case .required(let field): field.name
        }
    }

    private func message(for mutation: Mutation) -> String {
        let model = mutation.model
        let n = mutation.seq
        switch self {
        case .model(let successor):
            let drop =
                mutation.hasUnknownOutcome
                ? "the backend may have this change or not: restore the model and: queue retry \(n)"
                : "restore the model and: queue retry \(n), or: queue drop \(n)"
            return "model \(model) is no longer in the schema: \(drop)"
                + (successor.map {
                    "; if it is called \($0) now, write: type \($0) @model "
                        + "@renamed(from: \"\(model)\")"
                } ?? "")
        case .removed(let fields, let successor):
            let names = fields.joined(separator: ", ")
            let (noun, verb, it) =
                fields.count == 1 ? ("field", "is", "the field") : ("fields", "are", "the fields")
            return "\(noun) \(names) of \(model) \(verb) no longer in the schema: "
                + "restore \(it) and: queue retry \(n), or go without: queue edit \(n) FIELD=VALUE "
                + "and: queue retry \(n), or: queue drop \(n)"
                + (successor.map {
                    "; if it is called \($0.name) now, write: \($0.name): \($0.typeText) "
                        + "@renamed(from: \"\(names)\")"
                } ?? "")
        case .value(let field, let reason):
            return "field \(field) of \(model) changed: \(reason): queue edit \(n) \(field)=VALUE "
                + "and: queue retry \(n), or: queue drop \(n)"
        case .required(let field):
            return "field \(field.name) of \(model) is required now: "
                + "queue edit \(n) \(field.name)=VALUE and: queue retry \(n), or: queue drop \(n)"
        case .key(let old, let new):
            return "the key of \(model) was \(old.joined(separator: ", ")) and is "
                + "\(new.joined(separator: ", ")) now: restore it and: queue retry \(n), or: "
                + "queue drop \(n), and make the change anew"
        }
    }
}

/// Finds what of a mutation does not fit a model.
package struct MisfitExaminer {
    private let model: Model
    private let schema: Schema
    private let gone: [String]
    private let secret: [String]

    /// `gone` are fields that the model had in earlier schemas and has no more; values of `secret`
    /// ones are not told, whatever the model says.
    package init(model: Model, schema: Schema, gone: [String], secret: [String] = []) {
        self.model = model
        self.schema = schema
        self.gone = gone
        self.secret = secret
    }

    /// Looks for what does not fit.
    ///
    /// - Parameters:
    ///   - mutation: Of the model.
    ///   - judged: The fields whose values are looked at; nil for all.
    ///   - demanded: The fields without which no record can be made; nil for all of those.
    /// - Returns: The first thing; nil when all fits.
    package func misfit(
        of mutation: Mutation, judging judged: [String]? = nil, demanding demanded: [String]? = nil
    ) -> SchemaMisfit? {
        if mutation.kind == .delete { return nil }
        let missing = gone.filter { name in
            mutation.set[name].map { !isEmpty($0, mutation) } ?? false
        }
        if !missing.isEmpty { return .removed(missing, successor: nil) }
        for (name, value) in mutation.set.pairs where judged?.contains(name) ?? true {
            guard var field = model.field(name) else { continue }
            if value.isNull, field.isReadOnly { continue }
            if secret.contains(name) { field.isSecret = true }
            do throws(RecordsError) {
                _ = try field.validate(value, in: schema)
            } catch {
                return .value(field: name, reason: error.message)
            }
        }
        guard mutation.kind == .create || mutation.kind == .replace else { return nil }
        for field in model.fields where field.isRequired && !field.isReadOnly {
            if !(demanded?.contains(field.name) ?? true) { continue }
            if mutation.set.index(of: field.name) == nil { return .required(field) }
        }
        return nil
    }

    /// A null in a whole record says nothing of a field that is gone.
    private func isEmpty(_ value: JSONValue, _ mutation: Mutation) -> Bool {
        value.isNull && mutation.kind != .update
    }

    /// True when the id of the mutation's record is what its key fields, as far as it has them,
    /// give now.
    package func keepsID(_ mutation: Mutation) -> Bool {
        switch mutation.kind {
        case .create, .replace: model.id(of: mutation.set) == mutation.id
        case .delete: model.id(of: mutation.was) == mutation.id
        case .update: false
        }
    }
}
