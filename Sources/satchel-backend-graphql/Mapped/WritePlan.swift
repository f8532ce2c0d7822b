internal import JSON
package import PluginKit
package import Records

/// How writes to one model are made and judged; one of AppSync's, or one of a mapping.
package protocol WritePlan: Sendable {
    var model: Model { get }
    /// The fields that the server has.
    var fields: [Field] { get }

    /// True when the server cannot judge what the write was made on: it has to be looked at first.
    func mustLookFirst(_ operation: PluginOperation) -> Bool
    /// The request that shows the record; nil where there is none.
    func look(at operation: PluginOperation) -> GraphQLRequest?
    /// What stands against the write, seen what there is; nil when nothing does.
    func objection(to operation: PluginOperation, _ answer: GraphQLAnswer) -> PluginVerdict?

    func request(for operation: PluginOperation) -> PushRequest
    /// The verdict on a write; nil when the answer does not tell whether it was done.
    func verdict(
        on operation: PluginOperation, _ verb: ModelPlan.Write, _ answer: GraphQLAnswer,
        root: String
    ) -> PluginVerdict?
    /// The verdict on a write of which nobody tells whether it was done; nil where the record can be
    /// looked at, to find out.
    func verdict(onLost operation: PluginOperation) -> PluginVerdict?

    /// True when an answer to a write leaves open what is there, and a look tells.
    func mustLookAfter(_ operation: PluginOperation, _ answer: GraphQLAnswer, root: String) -> Bool
    /// What follows from the record as it is after such an answer, on which `verdict` was given.
    func outcome(
        of operation: PluginOperation, _ verb: ModelPlan.Write, _ verdict: PluginVerdict?,
        seeing look: GraphQLAnswer
    ) -> PushOutcome
}

/// What becomes of a write after a second look.
package enum PushOutcome: Sendable, Equatable {
    case settled(PluginVerdict?)
    /// It goes once more, as this.
    case again(PluginOperation)
}

extension WritePlan {
    package func verdict(onLost operation: PluginOperation) -> PluginVerdict? { nil }

    package func mustLookAfter(
        _ operation: PluginOperation, _ answer: GraphQLAnswer, root: String
    ) -> Bool { false }

    package func outcome(
        of operation: PluginOperation, _ verb: ModelPlan.Write, _ verdict: PluginVerdict?,
        seeing look: GraphQLAnswer
    ) -> PushOutcome { .settled(verdict) }

    func isKey(_ name: String) -> Bool { model.key.contains { $0.sameBytes(as: name) } }

    /// Without what the server sets itself, and without the key, which is told apart.
    func writable(_ record: JSONObject) -> JSONObject {
        JSONObject(
            unchecked: record.pairs.filter { name, _ in
                guard let field = fields.first(where: { $0.name.sameBytes(as: name) }) else {
                    return false
                }
                return !field.isReadOnly && !isKey(name)
            })
    }
}

extension ModelPlan: WritePlan {
    package func look(at operation: PluginOperation) -> GraphQLRequest? {
        model.keyValues(of: operation.id).flatMap { fetch([$0]) }
    }
}
