import JSON
import Records
import Sync

/// What a seed draws once for its whole run.
struct Setting {
    static let sdl = """
        type Post @model {
            id: ID!
            title: String
            body: String
            rating: Int
            views: Int
            tags: [String]
            stamp: Int
            comments: [Comment] @hasMany(references: ["postID"])
            note: Note @hasOne(references: ["postID"])
        }
        type Comment @model {
            id: ID!
            text: String
            postID: ID
            replyToID: ID
            post: Post @belongsTo(fields: ["postID"])
            replyTo: Comment @belongsTo(fields: ["replyToID"])
        }
        type Note @model {
            id: ID!
            text: String
            postID: ID
            post: Post @belongsTo(fields: ["postID"])
        }
        """

    enum Rule: CaseIterable {
        /// A write on an older version is in conflict.
        case reject
        /// Fields that nobody else changed are taken, the others keep the server's values.
        case merge
        /// Whatever comes is taken.
        case lastWriter
    }

    var idempotency: Capabilities.Idempotency
    var rule: Rule
    var hasFetch: Bool
    var hasDelta: Bool
    var hasEvents: Bool
    var batch: Int
    var page: Int
    var policies: [String: MergePolicies]
    /// The first client is two processes on one store.
    var isDoubled: Bool

    init(_ dice: Dice) {
        idempotency = dice.weigh([(3, .key), (2, .conditional), (1, .none)]) ?? .key
        rule = dice.weigh([(3, .reject), (1, .merge), (1, .lastWriter)]) ?? .reject
        // Without keys nobody could tell a lost answer of a server that takes everything.
        if idempotency != .key { rule = .reject }
        hasFetch = dice.chance(85)
        if idempotency == .none { hasFetch = true }
        hasDelta = dice.chance(85)
        hasEvents = dice.chance(50)
        batch = dice.number(1..<6)
        page = dice.number(1..<6)
        isDoubled = dice.chance(50)
        var post = MergePolicies(
            model: dice.weigh([(4, .manual), (1, .server), (1, .local)]) ?? .manual)
        if dice.chance(50) { post.fields["rating"] = dice.pick([.max, .min, .server, .local]) }
        if dice.chance(50) { post.fields["views"] = .counter }
        if dice.chance(50) { post.fields["tags"] = .union }
        policies = ["Post": post]
    }

    func policies(of model: String) -> MergePolicies {
        policies[model] ?? MergePolicies(model: .manual, fields: [:])
    }

    /// True where a person's value is never given up for another's but by a person.
    func keeps(_ field: String, of model: String) -> Bool {
        switch policies(of: model).policy(of: field) {
        case .manual, .local: policies(of: model).model == .manual
        default: false
        }
    }
}
