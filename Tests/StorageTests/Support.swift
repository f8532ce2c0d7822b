import JSON
import Platform
import Records
import Storage

/// A folder that goes when the test does.
final class TemporaryFolder {
    let path: String

    init() throws { path = try Files.makeTemporaryDirectory(prefix: "satchel-storage-") }

    deinit {
        do { try Files.removeTree(path) } catch { return }
    }

    var store: String { "\(path)/default.sqlite" }
}

extension Model {
    static let post = Model(
        name: "Post",
        fields: [
            Field("id", .scalar(.id), isRequired: true), Field("title", .scalar(.string)),
            Field("rating", .scalar(.int)), Field("score", .scalar(.float)),
            Field("done", .scalar(.boolean)), Field("tags", .scalar(.string), isList: true),
            Field("at", .scalar(.dateTime)), Field("meta", .nested("Meta")),
            Field("raw", .scalar(.json)), Field("status", .enumeration("Status")),
            Field("authorID", .scalar(.id)),
        ],
        relations: [
            Relation(
                name: "author", kind: .belongsTo, model: "Author", fields: ["authorID"],
                references: ["id"]),
            Relation(
                name: "comments", kind: .hasMany, model: "Comment", fields: ["id"],
                references: ["postID"]),
            Relation(
                name: "labels", kind: .manyToMany, model: "Label", fields: ["id"],
                references: ["postID"], join: "PostLabel", joinFields: ["labelID"]),
        ])
    static let author = Model(
        name: "Author",
        fields: [Field("id", .scalar(.id)), Field("name", .scalar(.string))],
        relations: [
            Relation(
                name: "posts", kind: .hasMany, model: "Post", fields: ["id"],
                references: ["authorID"])
        ])
    static let comment = Model(
        name: "Comment",
        fields: [
            Field("id", .scalar(.id)), Field("body", .scalar(.string)),
            Field("postID", .scalar(.id)),
        ],
        relations: [
            Relation(
                name: "post", kind: .belongsTo, model: "Post", fields: ["postID"],
                references: ["id"])
        ])
    static let label = Model(
        name: "Label", fields: [Field("id", .scalar(.id)), Field("name", .scalar(.string))])
    static let postLabel = Model(
        name: "PostLabel",
        fields: [
            Field("id", .scalar(.id)), Field("postID", .scalar(.id)),
            Field("labelID", .scalar(.id)),
        ],
        relations: [
            Relation(
                name: "post", kind: .belongsTo, model: "Post", fields: ["postID"],
                references: ["id"]),
            Relation(
                name: "label", kind: .belongsTo, model: "Label", fields: ["labelID"],
                references: ["id"]),
        ])
}

extension Schema {
    static let blog = Schema(models: [.post, .author, .comment, .label, .postLabel])
}

extension Store {
    func put(_ model: Model, _ id: String, _ members: (String, JSONValue)...) throws {
        try putRecord(
            model, RecordID(id), JSONObject([("id", .string(id))] + members), version: nil)
    }

    @discardableResult
    func queue(
        _ id: String, _ kind: Mutation.Kind = .update, state: Mutation.State = .queued,
        notBefore: Int64 = 0, group: String = "g", at: Int64 = 1
    ) throws -> Int64 {
        try appendMutation(
            Mutation(
                key: "key-\(id)", group: group, model: "Post", id: RecordID(id), kind: kind,
                set: JSONObject([("title", .string(id))]), state: state, notBefore: notBefore,
                createdAt: at))
    }
}

/// The error that `body` throws; nil when it throws none.
func failure(_ body: () throws(StoreError) -> Void) -> StoreError? {
    do throws(StoreError) {
        try body()
        return nil
    } catch {
        return error
    }
}
