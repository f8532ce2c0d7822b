internal import JSON
internal import Records

// The columns of `mutation`, seq first when read and last when written.
extension Statement {
    /// Binds parameters 1 to 14.
    func bind(_ mutation: borrowing Mutation) throws(StoreError) {
        try bind(1, mutation.key)
        try bind(2, mutation.group)
        try bind(3, mutation.model)
        try bind(4, mutation.id.text)
        try bind(5, mutation.kind.rawValue)
        try bind(6, json: mutation.set.isEmpty ? nil : mutation.set)
        try bind(7, json: mutation.was.isEmpty ? nil : mutation.was)
        try bind(8, json: mutation.baseVersion)
        try bind(9, mutation.state.rawValue)
        try bind(10, Int64(mutation.attempts))
        try bind(11, mutation.isFrozen)
        try bind(12, mutation.notBefore)
        try bind(13, json: mutation.failure.map(\.json))
        try bind(14, mutation.createdAt)
    }

    func mutation() throws(StoreError) -> Mutation {
        let seq = integer(0)
        guard let kind = Mutation.Kind(rawValue: text(5)),
            let state = Mutation.State(rawValue: text(9))
        else {
            throw StoreError(.damaged, "mutation \(seq) is \(text(5)) and \(text(9))")
        }
        return Mutation(
            seq: seq, key: text(1), group: text(2), model: text(3), id: RecordID(text(4)),
            kind: kind, set: try object(6) ?? JSONObject(), was: try object(7) ?? JSONObject(),
            baseVersion: try json(8), state: state, attempts: Int(integer(10)),
            isFrozen: boolean(11), notBefore: integer(12),
            failure: try object(13).map(Mutation.Failure.init), createdAt: integer(14))
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
