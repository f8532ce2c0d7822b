internal import JSON
internal import Records

// The columns of `mutation`, seq first when read and last when written.
extension Parameters {
    /// Binds parameters 1 to 14.
    mutating func bind(_ mutation: borrowing Mutation) {
        bind(1, mutation.model)
        bind(2, mutation.id.text)
        bind(3, mutation.kind.rawValue)
        bind(4, mutation.state.rawValue)
        bind(5, mutation.notBefore)
        bind(6, Int64(mutation.attempts))
        bind(7, mutation.isFrozen)
        bind(8, mutation.createdAt)
        bind(9, mutation.key)
        bind(10, mutation.group)
        bind(11, json: mutation.baseVersion)
        bind(12, json: mutation.failure.map(\.json))
        bind(13, json: mutation.set.isEmpty ? nil : mutation.set)
        bind(14, json: mutation.was.isEmpty ? nil : mutation.was)
    }
}

extension Statement {
    func mutation() throws(StoreError) -> Mutation {
        let seq = integer(0)
        guard let kind = Mutation.Kind(rawValue: text(3)),
            let state = Mutation.State(rawValue: text(4))
        else {
            throw StoreError(
                .illegible, "the queue's number \(seq) is \(text(3)) and \(text(4))",
                hint: "a newer satchel may have written it: use that one")
        }
        return Mutation(
            seq: seq, key: text(9), group: text(10), model: text(1), id: RecordID(text(2)),
            kind: kind, set: try object(13) ?? JSONObject(), was: try object(14) ?? JSONObject(),
            baseVersion: try json(11), state: state, attempts: Int(integer(6)),
            isFrozen: boolean(7), notBefore: integer(5),
            failure: try object(12).map(Mutation.Failure.init), createdAt: integer(8))
    }
}

extension Mutation.Failure {
    fileprivate var json: JSONObject {
        var members = JSONObject([("kind", .string(kind)), ("message", .string(message))])
        if let field { members.append("field", .string(field)) }
        return members
    }

    fileprivate init(_ json: JSONObject) {
        self.init(
            kind: json["kind"]?.text ?? "", message: json["message"]?.text ?? "",
            field: json["field"]?.text)
    }
}
