import JSON
import Records
import Shell
import Testing

@Suite struct `The rules of an Amplify project` {
    struct Case: CustomTestStringConvertible {
        var rules: String
        var usual = "api_key"
        /// Nil where the model is asked for as all are.
        var mode: String?
        var owners: [String] = []
        var testDescription: String { "\(usual): \(rules)" }
    }

    static let table = [
        Case(rules: "{ allow: public }"),
        Case(rules: "{ allow: public, provider: iam }", mode: "iam"),
        Case(rules: "{allow:public,provider:identityPool}", mode: "iam"),
        Case(rules: "{ allow: owner }", mode: "user_pools", owners: ["owner"]),
        Case(rules: "{ allow: owner }", usual: "user_pools", owners: ["owner"]),
        Case(rules: "{ allow: owner, provider: oidc }", mode: "oidc", owners: ["owner"]),
        Case(rules: "{ allow: owner }, { allow: public, operations: [read] }", owners: ["owner"]),
        Case(rules: "{ allow: private }, { allow: custom }", mode: "lambda"),
        Case(
            rules: "{ allow: private, provider: iam }, { allow: private }", mode: "user_pools"),
        Case(
            rules: "{ allow: groups, groups: [\"A\", \"B\"], operations: [read, create] }",
            mode: "user_pools"),
        Case(
            rules: "{ operations: [read] ownerField: \"author\" allow: owner }, {allow: owner}",
            mode: "user_pools", owners: ["author", "owner"]),
        Case(rules: "{ allow: owner, ownerField: \"text\" }", mode: "user_pools"),
        Case(rules: "{ allow: nobody }"),
    ]

    @Test(arguments: table) func `say how a model is asked for, and who owns`(_ row: Case) throws {
        let text = """
            \"\"\" type Fake @auth(rules: [{ allow: owner }]) { \"\"\"
            type Note
              @model(timestamps: { createdAt: "made" }) # @auth(rules: [{allow: custom}]) {
              @auth(rules: [\(row.rules)]) { "a { brace"
              id: ID!
              text: String @auth(rules: [{ allow: custom }])
            }
            type Plain @model { id: ID! type: String }
            """
        let schema = try Schema.parse(text)
        let rules = AmplifyRules(sdl: Array(text.utf8))
        var expected = JSONObject()
        if let mode = row.mode { expected.append("Note", .string(mode)) }
        #expect(rules.modes(usual: row.usual, in: schema) == expected)
        let owners = rules.ownerFields(missingIn: schema)
        #expect(owners == (row.owners.isEmpty ? [:] : ["Note": row.owners]))
        let added = SDLTypeHeads.adding(owners, to: Array(text.utf8))
        let changed = try Schema.parse(bytes: added)
        let made = changed.model("Note")?.fields.filter {
            schema.model("Note")?.field($0.name) == nil
        }
        #expect(made?.map(\.name) == row.owners)
        #expect(made?.allSatisfy { $0.isReadOnly && !$0.isRequired } == true)
        #expect(changed.model("Plain") == schema.model("Plain"))
    }

    static let globals = [
        ("globalAuthRule: AuthRule = { allow: public } # FOR TESTING ONLY!", "api_key", []),
        ("globalAuthRule: { allow: public }", "api_key", []),
        ("other: Int globalAuthRule: AuthRule = {allow:owner}", nil, ["owner"]),
        ("globalAuthRule: AuthRule = { allow: private, provider: iam }", "iam", []),
        ("other: String = { allow: public }", nil, []),
    ]

    @Test(arguments: globals) func `hold for every model without one where they are global`(
        _ row: (input: String, mode: String?, owners: [String])
    ) throws {
        let text = """
            input AMPLIFY { \(row.input)
            }
            type Own @model @auth(rules: [{ allow: custom }]) { id: ID! }
            type Free @model { id: ID! }
            """
        let schema = try Schema.parse(text)
        let rules = AmplifyRules(sdl: Array(text.utf8))
        let modes = rules.modes(usual: "user_pools", in: schema)
        #expect(modes["Free"]?.text == row.mode)
        #expect(modes["Own"] == "lambda")
        let owners = rules.ownerFields(missingIn: schema)
        #expect(owners == (row.owners.isEmpty ? [:] : ["Free": row.owners]))
    }

    @Test func `of a join model are those of what it joins`() throws {
        let text = """
            type Post @model @auth(rules: [{ allow: owner }]) {
              id: ID!
              tags: [Tag] @manyToMany(relationName: "PostTags")
            }
            type Tag @model @auth(rules: [{ allow: owner }]) {
              id: ID!
              posts: [Post] @manyToMany(relationName: "PostTags")
            }
            """
        let modes = AmplifyRules(sdl: Array(text.utf8)).modes(
            usual: "api_key", in: try Schema.parse(text))
        #expect(modes["PostTags"] == "user_pools")
    }

    @Test(arguments: ["", "type", "type A @auth(rules: [{", "\"\"\"", "\"\\", "type A @", "))}}"])
    func `of what is no schema are none`(_ text: String) throws {
        let rules = AmplifyRules(sdl: Array(text.utf8))
        #expect(rules.models.isEmpty)
        #expect(SDLTypeHeads.adding([:], to: Array(text.utf8)) == Array(text.utf8))
    }
}
