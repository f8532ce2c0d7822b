internal import JSON
internal import Outbox
internal import Records
internal import Storage

/// What a conflict asks of the programs of the merge policies.
struct MergeQuestion {
    /// What one program decides.
    private struct Part {
        var program: String
        var fields: [String]
        /// True where it is the policy of the model: then the rest of the record is its as well.
        var isWhole: Bool
    }

    /// The backend's state that the question was put on.
    let ground: Base
    private let mutation: Mutation
    private let remote: JSONObject
    private var parts: [Part] = []

    /// Nil where no program is to be asked.
    init?(_ mutation: Mutation, _ ground: Base, _ policies: MergePolicies) {
        guard let remote = ground.record else { return nil }
        self.ground = ground
        self.mutation = mutation
        self.remote = remote
        for (name, local) in mutation.set.pairs {
            let there = remote[name] ?? .null
            guard case .command(let program) = policies.policy(of: name),
                mutation.was[name] ?? .null != there, local != there
            else { continue }
            let isWhole = policies.fields[name] == nil
            if let index = parts.firstIndex(where: {
                $0.program == program && $0.isWhole == isWhole
            }) {
                parts[index].fields.append(name)
            } else {
                parts.append(Part(program: program, fields: [name], isWhole: isWhole))
            }
        }
        if parts.isEmpty { return nil }
    }

    /// Asks one program after the other; the first that does not decide ends it.
    func ask(
        _ resolve: (String, JSONValue) -> MergeAnswer, _ model: Model, _ schema: Schema
    ) -> MergeVerdict {
        var values = JSONObject()
        // A field's own policy has the last word on it.
        for part in parts.filter(\.isWhole) + parts.filter({ !$0.isWhole }) {
            switch resolve(part.program, input(part)) {
            case .failed(let reason): return .undecided(reason)
            case .unasked(let reason): return .unasked(reason)
            case .record(let record):
                do throws(RecordsError) {
                    let decided = try self.decided(record, part, model, schema)
                    values = values.overlaid(with: decided)
                } catch {
                    return .undecided("\(part.program) answered what cannot be: \(error.message)")
                }
            }
        }
        return .values(values)
    }
}

extension MergeQuestion {
    private var local: JSONObject { remote.overlaid(with: mutation.set) }

    private func input(_ part: Part) -> JSONValue {
        .object(
            JSONObject([
                ("model", .string(mutation.model)), ("id", .string(mutation.id.text)),
                ("base", .object(remote.overlaid(with: mutation.was))),
                ("local", .object(local)), ("remote", .object(remote)),
                ("fields", .array(part.fields.map(JSONValue.string))),
            ]))
    }

    /// What the answer decides; each value is one that a person could have set.
    private func decided(
        _ answer: JSONObject, _ part: Part, _ model: Model, _ schema: Schema
    ) throws(RecordsError) -> JSONObject {
        if let id = model.id(of: answer), id != mutation.id {
            throw RecordsError(.value, "the record \(id), not \(mutation.id)")
        }
        var values = JSONObject()
        for name in part.fields {
            guard let field = model.field(name), let value = answer[name] else {
                throw RecordsError(.value, "\(name) is not in it")
            }
            values[name] = try field.validate(value, in: schema)
        }
        guard part.isWhole else { return values }
        let local = local
        for field in model.fields where values[field.name] == nil && !field.isReadOnly {
            guard !model.key.contains(field.name), let value = answer[field.name],
                value != local[field.name] ?? .null
            else { continue }
            values[field.name] = try field.validate(value, in: schema)
        }
        return values
    }
}

/// What the programs made of a conflict, checked.
enum MergeVerdict {
    /// A value for each field in conflict, and what else was set.
    case values(JSONObject)
    case undecided(String)
    case unasked(String)
}
