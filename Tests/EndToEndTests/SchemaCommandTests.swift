import JSON
import Platform
import Testing

@Suite struct `The command schema` {
    static let schema = """
        # A blog.
        type Post @model @auth(rules: [{allow: owner}]) {
          id: ID!
          title: String! @default(value: "Untitled")
          pin: String @secret
          comments: [Comment] @hasMany(references: ["postID"])
        }
        type Comment @model {
          id: ID!
          postID: ID!
          post: Post @belongsTo(references: ["postID"])
        }

        """

    private func blog() throws -> SatchelHome {
        let home = try SatchelHome()
        try home.write("schema.graphql", Self.schema)
        let run = try home.satchel("init")
        try #require(run.code == 0, "\(run)")
        return home
    }

    @Test func `shows the file as it is`() throws {
        let run = try blog().satchel("schema")
        #expect(run.output == Self.schema, "\(run)")
    }

    @Test func `shows a model's fields and relations`() throws {
        let run = try blog().satchel("schema", "show", "Post")
        #expect(
            run.output == """
                field\ttype\tabout
                id\tID!\tkey
                title\tString!\tdefault Untitled
                pin\tString\tsecret
                comments\t[Comment]\thas many, by their postID

                """, "\(run)")
    }

    @Test func `gives the models as the protocol writes them`() throws {
        let home = try blog()
        let all = try home.satchel("schema", "-o", "json").json()
        #expect(all["models"]?.elements?.count == 2)
        #expect(all["enums"] != nil)
        let post = try home.satchel("schema", "show", "Post", "-o", "json").json()
        #expect(post["key"] == ["id"])
        #expect(all["models"]?.elements?.first == post)
    }

    @Test func `names a model that is meant instead of one that is not there`() throws {
        let run = try blog().satchel("schema", "show", "Pots")
        #expect(run.code == 2)
        #expect(run.errors.contains("did you mean \"Post\"?"), "\(run)")
    }

    @Test func `works before there is a store, and where the store cannot be opened`() throws {
        let home = try blog()
        try home.write(".satchel/default.sqlite", "this is no database, and longer than a header")
        #expect(try home.satchel("schema").code == 0)
    }

    @Test func `finds every mistake at once, each with its place`() throws {
        let home = try SatchelHome()
        try home.write("bad.graphql", "type A @model {\n  id: ID!\n  b: Foo\n  c: Bar\n}\n")
        let run = try home.satchel("schema", "check", "bad.graphql")
        #expect(run.code == 1)
        #expect(run.output == "")
        #expect(run.errors.contains("bad.graphql:3:6: unknown type Foo\n"), "\(run)")
        #expect(run.errors.contains("bad.graphql:4:6: unknown type Bar\n"), "\(run)")
        let asJSON = try home.satchel("schema", "check", "bad.graphql", "-o", "json")
        #expect(asJSON.code == 1)
        let error = try JSONValue.parse(asJSON.errors)["error"]
        #expect(error?["kind"] == "schema")
        #expect(error?["message"]?.text?.contains("bad.graphql:4:6") == true)
    }

    @Test func `says ok, and what has no effect here`() throws {
        let home = try blog()
        let run = try home.satchel("schema", "check", "schema.graphql")
        #expect(run.code == 0)
        #expect(run.output == "schema.graphql: ok, 2 models\n")
        #expect(run.errors.contains("@auth"), "\(run)")
        let piped = try home.satchel("schema", "check", "-", input: Self.schema)
        #expect(piped.output == "<stdin>: ok, 2 models\n", "\(piped)")
    }

    @Test func `draws the models for mermaid and for graphviz`() throws {
        let home = try blog()
        let mermaid = try home.satchel("schema", "graph").output
        #expect(mermaid.hasPrefix("erDiagram\n"))
        #expect(mermaid.contains("    ID id PK\n"))
        #expect(mermaid.contains("    ID postID FK\n"))
        #expect(mermaid.contains("  Post ||--o{ Comment : post\n"), "\(mermaid)")
        let dot = try home.satchel("schema", "graph", "-o", "dot").output
        #expect(dot.contains("Comment -> Post [label=\"post\""), "\(dot)")
        let svg = try home.satchel("schema", "graph", "-o", "svg", with: ["PATH": "/nowhere"])
        #expect(svg.code == 1)
        #expect(svg.errors.contains("apt-get install graphviz"), "\(svg)")
    }

    @Test func `pulls the backend's models, asking before it changes the file`() throws {
        let home = try SatchelHome()
        let plugin = """
            #!/usr/bin/env python3
            import json, sys
            for line in sys.stdin:
                request = json.loads(line)
                method, answer = request["method"], {}
                if method == "initialize":
                    answer = {"protocol": 1, "plugin": {"name": "shelf", "version": "1"},
                              "capabilities": {}, "identity": "shelf-1"}
                if method == "schema":
                    answer = {"sdl": "type Book @model { id: ID! title: String! }"}
                print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}),
                      flush=True)

            """
        try home.write(
            ".local/share/satchel/plugins/satchel-backend-shelf", plugin, mode: 0o755)
        #expect(try home.satchel("init", "books", "--backend", "shelf").code == 0)
        // Only the example that nobody changed is nothing to ask about.
        let example = try home.read("books/schema.graphql")
        try home.write("books/schema.graphql", example + "# ours\n")
        let asked = try home.satchel("schema", "pull", in: "books")
        #expect(asked.code == 9, "\(asked)")
        #expect(asked.errors.contains("--yes"))
        let pulled = try home.satchel("schema", "pull", "--yes", in: "books")
        #expect(pulled.code == 0, "\(pulled)")
        #expect(
            try home.read("books/schema.graphql")
                == "type Book @model { id: ID! title: String! }\n")
        let again = try home.satchel("schema", "pull", in: "books")
        #expect(again.code == 0, "\(again)")
        try Files.remove(home.file("books/schema.graphql"))
        #expect(try home.satchel("schema", "pull", in: "books").code == 0)
        #expect(try home.satchel("count", "Book", in: "books").output == "0\n")
    }
}
