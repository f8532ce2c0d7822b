import Glibc
import JSON
import Platform
import ServerHarness
import Testing

/// The examples of Amplify's documentation of DataStore, as sessions here.
///
/// https://docs.amplify.aws/gen1/swift/build-a-backend/more-features/datastore/
@Suite(.serialized, .timeLimit(.minutes(15))) struct `Amplify's examples for DataStore` {
    private func pair(_ options: String...) throws -> GraphQLPair {
        try GraphQLPair(options: options, schema: FromDataStore.schema)
    }

    private enum FromDataStore {
        static let schema = Path.join(Path.parent(#filePath), "amplify-docs.graphql")
    }

    private static let kinds = ["on", "off"]

    // "Create and update", "Delete": save a Post, save a changed copy of it, delete it.
    @Test(arguments: kinds) func `create, update and delete a post, each visible at once`(
        _ detection: String
    ) throws {
        let pair = try pair("--conflict-detection", detection)
        let id = try pair.output(
            "a", "create Post title='My First Post' status=INACTIVE rating:=10 -o id")
        #expect(try pair.json("a", "get Post \(id) --meta")["_state"] == "pending")
        try pair.output("a", "sync")
        #expect(try pair.json("a", "get Post \(id) --meta")["_state"] == "synced")
        try pair.output("a", "update Post \(id) status=ACTIVE title='[updated] My First Post'")
        #expect(try pair.json("a", "get Post \(id)")["status"] == "ACTIVE")
        try pair.output("a", "sync")
        let found = try pair.json("a", "list Post where 'rating > 4 and status = ACTIVE'")
        #expect(found.elements?.first?["title"] == "[updated] My First Post")
        try pair.output("a", "delete Post \(id) --yes")
        #expect(try pair.json("a", "count Post")["count"] == 0)
        try pair.output("a", "sync")
        #expect(try pair.server.effects("Post", .string(id)).count == 3)
        try pair.output("b", "sync")
        #expect(try pair.json("b", "count Post")["count"] == 0)
    }

    // "Conflict resolution" and the error handler: what was shown optimistically is taken back.
    @Test(arguments: [("createPost", "create"), ("updatePost", "update"), ("deletePost", "delete")])
    func `roll back what the API refuses, with its reason`(
        _ mutation: String, _ kind: String
    ) throws {
        let pair = try pair()
        var id = try pair.output("a", "create Post id=kept title=kept status=ACTIVE -o id")
        try pair.output("a", "sync")
        switch kind {
        case "create": id = try pair.output("a", "create Post title=new status=ACTIVE -o id")
        case "update": try pair.output("a", "update Post \(id) title=changed")
        default: try pair.output("a", "delete Post \(id) --yes")
        }
        try pair.server.fault("denied", ["operation": .string(mutation)])
        #expect(try pair.run("a", "sync").code == 3)
        #expect(try pair.json("a", "get Post kept")["title"] == "kept")
        #expect(try pair.json("a", "count Post")["count"] == 1)
        let refused = try pair.json("a", "queue").elements?.first
        #expect(refused?["kind"] == .string(kind) && refused?["state"] == "rejected")
        #expect(refused?["error"]?["message"]?.text?.isEmpty == false)
        try pair.output("a", "queue retry all")
        try pair.output("a", "sync")
        let wanted: JSONValue = kind == "create" ? 2 : kind == "update" ? 1 : 0
        #expect(try pair.json("a", "count Post")["count"] == wanted)
    }

    // "Relational models": a Post with comments; saving a Comment of a post, querying the comments
    // of a post, deleting the post with its comments.
    @Test(arguments: kinds) func `save a comment of a post, and delete both with the post`(
        _ detection: String
    ) throws {
        let pair = try pair("--conflict-detection", detection)
        let post = try pair.output(
            "a", "create Post title='My post with comments' rating:=5 status=ACTIVE -o id")
        let comment = try pair.output(
            "a", "create Comment content='Loving Amplify DataStore' post=\(post) -o id")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
        let shown = try pair.json("b", "get Post \(post) include comments")
        #expect(shown["comments"]?.elements?.first?["content"] == "Loving Amplify DataStore")
        let found = try pair.json("b", "list Comment where 'post.rating > 4'")
        #expect(found.elements?.first?["id"] == .string(comment))
        let remote = try pair.json("b", "get Comment \(comment) include post --remote")
        #expect(remote["post"]?["title"] == "My post with comments")
        let whole = try pair.json("b", "get Post \(post) include comments.post --remote")
        #expect(
            whole["comments"]?.elements?.first?["post"]?["title"] == "My post with comments")
        try pair.output("b", "delete Post \(post) --yes")
        try pair.output("b", "sync")
        try pair.output("a", "sync")
        #expect(try pair.json("a", "count Comment")["count"] == 0)
        #expect(try pair.json("a", "count Post")["count"] == 0)
    }

    // "Many to many": post, editor, and a PostEditor that joins them.
    @Test(arguments: kinds) func `join a post and its editors`(_ detection: String) throws {
        let pair = try pair("--conflict-detection", detection)
        let post = try pair.output("a", "create Post title='My first post' status=ACTIVE -o id")
        let user = try pair.output("a", "create User username=Nadia -o id")
        let join = try pair.output("a", "create PostEditor post=\(post) user=\(user) -o id")
        try pair.output("a", "sync")
        try pair.output("b", "sync")
        for more in ["", " --remote"] {
            let shown = try pair.json("b", "get Post \(post) include editors\(more)")
            #expect(shown["editors"]?.elements?.first?["username"] == "Nadia", "\(more)")
            let back = try pair.json("b", "get User \(user) include posts\(more)")
            #expect(back["posts"]?.elements?.first?["title"] == "My first post", "\(more)")
        }
        try pair.output("b", "delete PostEditor \(join) --yes")
        try pair.output("b", "sync")
        try pair.output("a", "sync")
        let alone = try pair.json("a", "get Post \(post) include editors")
        #expect(alone["editors"]?.elements?.isEmpty == true)
        #expect(try pair.json("a", "count User")["count"] == 1)
    }

    // "Offline scenarios": three edits while the network is away, all delivered on reconnect.
    @Test(arguments: kinds) func `deliver what was edited offline on reconnect`(
        _ detection: String
    ) throws {
        let pair = try pair("--conflict-detection", detection)
        let id = try pair.output("a", "create Post title=draft status=INACTIVE -o id")
        try pair.output("a", "sync")
        try pair.server.control([
            "command": "fault", "type": "cut_before", "count": 1_000,
        ])
        for title in ["one", "two", "three"] {
            try pair.output("a", "update Post \(id) title=\(title)")
            #expect(try pair.run("a", "sync").code == 6)
        }
        try pair.output("a", "create Comment content=late post=\(id)")
        #expect(try pair.json("a", "get Post \(id)")["title"] == "three")
        try pair.server.control(["command": "clear_faults"])
        try pair.output("a", "sync")
        #expect(try pair.json("a", "queue").elements?.isEmpty == true)
        try pair.output("b", "sync")
        #expect(try pair.json("b", "get Post \(id) include comments")["title"] == "three")
        #expect(try pair.json("b", "count Comment")["count"] == 1)
    }

    // "Real time": an observer hears of what another client saves, changes and deletes.
    @Test func `hear of another client's create, update and delete`() throws {
        let pair = try pair()
        let watch = try pair.home.start(
            "/bin/bash", ["-c", "exec satchel watch Post --sync -o ndjson"], in: "a")
        func expect(_ text: String) throws {
            while try !watch.printed.contains(text), kill(watch.pid, 0) == 0 {
                _ = Poll.wait(reading: [], milliseconds: 20)
            }
            let (printed, complained) = (try watch.printed, try watch.complained)
            #expect(printed.contains(text), "\(complained)")
        }
        try expect("\"ready\"")
        let id = try pair.output("b", "create Post title=theirs status=ACTIVE -o id --deliver")
        try expect("\"theirs\"")
        try pair.output("b", "update Post \(id) title=changed --deliver")
        try expect("\"changed\"")
        try pair.output("b", "delete Post \(id) --yes --deliver")
        try expect("\"delete\"")
        watch.signal(SIGTERM)
        #expect(try watch.wait().code == 0)
    }
}
