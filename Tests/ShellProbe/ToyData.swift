package import Records
package import Shell

/// A workspace of a few records, held in memory.
package struct ToyData: CompletionData {
    package let schema: Schema?
    package let contexts = [Candidate("default", "folder"), Candidate("blog", "graphql")]
    package let backends = [Candidate("folder"), Candidate("graphql")]
    package let settings = [Candidate("schema"), Candidate("contexts.default.sync", "auto")]

    private let labels: [String: [Candidate]] = [
        "Author": [Candidate("a1", "Ann Lee"), Candidate("a2", "Bob")],
        "Post": [
            Candidate("0190c2aa", "Hello, world"), Candidate("0190c2bb", "Help wanted"),
            Candidate("0191ffff", "Zebra"),
        ],
        "Tag": [Candidate("red wine", ""), Candidate("it's", ""), Candidate("a:b", "")],
    ]

    package init() {
        var author = Model(
            name: "Author",
            fields: [
                Field("id", .scalar(.id), isRequired: true),
                Field("name", .scalar(.string), isRequired: true),
            ])
        author.relations = [
            Relation(
                name: "posts", kind: .hasMany, model: "Post", fields: ["id"],
                references: ["authorID"])
        ]
        var post = Model(
            name: "Post",
            fields: [
                Field("id", .scalar(.id), isRequired: true),
                Field("title", .scalar(.string), isRequired: true),
                Field("rating", .scalar(.int)), Field("status", .enumeration("Status")),
                Field("isPublic", .scalar(.boolean)), Field("tags", .scalar(.string), isList: true),
                Field("authorID", .scalar(.id)),
                Field("createdAt", .scalar(.dateTime), isReadOnly: true),
            ])
        post.relations = [
            Relation(
                name: "author", kind: .belongsTo, model: "Author", fields: ["authorID"],
                references: ["id"])
        ]
        let tag = Model(name: "Tag", fields: [Field("id", .scalar(.id), isRequired: true)])
        let order = Model(
            name: "Order",
            fields: [
                Field("customer", .scalar(.id), isRequired: true),
                Field("number", .scalar(.int), isRequired: true), Field("paid", .scalar(.boolean)),
            ], key: ["customer", "number"])
        schema = Schema(
            models: [author, post, tag, order],
            enums: [EnumType(name: "Status", values: ["DRAFT", "PUBLISHED", "GONE"])])
    }

    package func ids(of model: Model, prefix: String, limit: Int) -> [Candidate] {
        let all = labels[model.name] ?? []
        let byID = all.filter { $0.value.utf8.starts(with: prefix.utf8) }
        let byLabel = all.filter {
            !byID.contains($0) && $0.help.lowercased().hasPrefix(prefix.lowercased())
        }
        return Array((byID + byLabel).prefix(limit))
    }

    package func queueNumbers(limit: Int) -> [Candidate] {
        [Candidate("7", "update Post 0190c2aa: too long"), Candidate("12", "create Tag x")]
    }

    package func quarantineNumbers(limit: Int) -> [Candidate] { [Candidate("1", "Post")] }

    package func conflicts(of model: String, limit: Int) -> [Candidate] {
        model == "Post" ? [Candidate("0190c2aa", "Hello, world")] : []
    }

    package func files(prefix: String) -> [Candidate] {
        ["posts.csv", "posts/", "schema.graphql"].filter { $0.hasPrefix(prefix) }
            .map { Candidate($0) }
    }
}
