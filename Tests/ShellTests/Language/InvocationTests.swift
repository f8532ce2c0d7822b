import Shell
import Testing

/// A line, the arguments a shell would make of it, and what both mean.
struct Case: CustomTestStringConvertible, Sendable {
    var line: String
    var arguments: [String]
    var command: Command
    var options: GlobalOptions
    var testDescription: String { line }

    init(
        _ line: String, _ arguments: [String], _ command: Command,
        options: (inout GlobalOptions) -> Void = { _ in }
    ) {
        self.line = line
        self.arguments = arguments
        self.command = command
        self.options = GlobalOptions()
        options(&self.options)
    }

    /// For lines without quotes, whose arguments are the words between spaces.
    init(
        _ line: String, _ command: Command, options: (inout GlobalOptions) -> Void = { _ in }
    ) {
        self.init(line, line.split(separator: " ").map(String.init), command, options: options)
    }
}

/// A value with some of its parts set.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}

@Suite struct `One command in three ways` {
    @Test(arguments: Case.records + Case.sync + Case.setup + Case.options)
    func `means the same`(_ case: Case) throws {
        let expected = Invocation(options: `case`.options, command: `case`.command)
        #expect(try Invocation.parse(line: `case`.line) == expected)
        #expect(try Invocation.parse(arguments: `case`.arguments) == expected)
    }

    @Test func `is tested for every command`() {
        let tested = (Case.records + Case.sync + Case.setup + Case.options).map(\.command.name)
        for name in CommandName.allCases { #expect(tested.contains(name), "\(name)") }
    }
}

extension Case {
    static let records: [Case] = [
        Case("list Post", .list(ListRequest(model: "Post"))),
        Case(
            "list Post where rating >= 3 sort -rating,title limit 5 offset 10 fields id,title include author,comments.author",
            .list(
                with(ListRequest(model: "Post", filter: "rating >= 3")) {
                    $0.sort = [SortWord("rating", descending: true), SortWord("title")]
                    $0.limit = 5
                    $0.offset = 10
                    $0.fields = ["id", "title"]
                    $0.include = ["author", "comments.author"]
                })),
        Case(
            #"list Post where author.name = "Ann B" and (a = 1) limit 3"#,
            ["list", "Post", "where", #"author.name = "Ann B" and (a = 1)"#, "limit", "3"],
            .list(
                with(ListRequest(model: "Post", filter: #"author.name = "Ann B" and (a = 1)"#)) {
                    $0.limit = 3
                })),
        Case(
            "list Post where 'sort' = title",
            ["list", "Post", "where", "'sort' = title"],
            .list(ListRequest(model: "Post", filter: "'sort' = title"))),
        Case(
            "list Post limit 1 where rating gt -1 -o json",
            .list(with(ListRequest(model: "Post", filter: "rating gt -1")) { $0.limit = 1 })
        ) { $0.format = .json },
        Case(
            #"list Post --where 'title = "x"' sort title"#,
            ["list", "Post", "--where", #"title = "x""#, "sort", "title"],
            .list(
                with(ListRequest(model: "Post", filter: #"title = "x""#)) {
                    $0.sort = [SortWord("title")]
                })),
        Case(
            "list Post where title = 'a' # b", ["list", "Post", "where", "title = 'a'"],
            .list(ListRequest(model: "Post", filter: "title = 'a'"))),
        Case(
            "list Post where a = 1 and \\\n  b = \"x\\\ny\"",
            ["list", "Post", "where", "a = 1 and   b = \"xy\""],
            .list(ListRequest(model: "Post", filter: "a = 1 and   b = \"xy\""))),
        Case("get Post 1 2", .get(GetRequest(model: "Post", keys: ["1", "2"]))),
        Case(
            "get Order customer=c1 number:=7 fields id include customer --remote",
            .get(
                with(GetRequest(model: "Order", keys: ["customer=c1", "number:=7"])) {
                    $0.fields = ["id"]
                    $0.include = ["customer"]
                    $0.asksBackend = true
                })),
        Case("get Post -- -x", .get(GetRequest(model: "Post", keys: ["-x"]))),
        Case("count Post", .count(CountRequest(model: "Post"))),
        Case(
            "count Post where a is null", .count(CountRequest(model: "Post", filter: "a is null"))),
        Case(
            #"create Post title="Hello, world" body='it is' tags+=a rating:=5"#,
            ["create", "Post", "title=Hello, world", "body=it is", "tags+=a", "rating:=5"],
            .create(
                CreateRequest(
                    model: "Post",
                    values: Values(
                        items: ["title=Hello, world", "body=it is", "tags+=a", "rating:=5"])))),
        Case(
            "create Post title=list where=1 --unset body --data @x.json --deliver",
            .create(
                with(
                    CreateRequest(
                        model: "Post",
                        values: Values(
                            items: ["title=list", "where=1"], unset: ["body"],
                            data: .input(.file("x.json"))))
                ) { $0.delivers = true })),
        Case(
            #"create Post --data '{"title":"x"}'"#,
            ["create", "Post", "--data", #"{"title":"x"}"#],
            .create(
                CreateRequest(model: "Post", values: Values(data: .text(#"{"title":"x"}"#))))),
        Case(
            "create Post --data @-",
            .create(
                CreateRequest(model: "Post", values: Values(data: .input(.standardInput))))),
        Case(
            "update Post 1 2 title=x rating+=1",
            .update(
                UpdateRequest(
                    model: "Post", target: .keys(["1", "2"]),
                    values: Values(items: ["title=x", "rating+=1"])))),
        Case(
            "update Post where rating lt 2 set title=x --deliver",
            .update(
                with(
                    UpdateRequest(
                        model: "Post", target: .filter("rating lt 2"),
                        values: Values(items: ["title=x"]))
                ) { $0.delivers = true })),
        Case(
            "update Post 1 --unset title",
            .update(
                UpdateRequest(
                    model: "Post", target: .keys(["1"]), values: Values(unset: ["title"])))),
        Case(
            "update Order customer=c1 number:=7 paid=true",
            .update(
                UpdateRequest(
                    model: "Order", target: nil,
                    values: Values(items: ["customer=c1", "number:=7", "paid=true"])))),
        Case(
            "delete Post 1 2", .delete(DeleteRequest(model: "Post", target: .keys(["1", "2"])))),
        Case(
            "delete Post where a = 1 --no-cascade --yes",
            .delete(
                with(DeleteRequest(model: "Post", target: .filter("a = 1"))) {
                    $0.cascades = false
                })
        ) { $0.assumesYes = true },
        Case(
            "import Post posts.csv --format csv --key slug --map Titel=title --keep-going",
            .importRecords(
                with(ImportRequest(model: "Post", source: .file("posts.csv"))) {
                    $0.format = .csv
                    $0.key = "slug"
                    $0.map = [Pair("Titel", "title")]
                    $0.keepsGoing = true
                })),
        Case(
            "import --all -", .importRecords(ImportRequest(model: nil, source: .standardInput))),
        Case("export", .exportRecords(models: [])),
        Case("export Post Author", .exportRecords(models: ["Post", "Author"])),
        Case("undo", .undo(UndoRequest())),
        Case("undo 3", .undo(UndoRequest(count: 3))),
    ]

    static let sync: [Case] = [
        Case("sync", .sync(.run(.init()))),
        Case(
            "sync pull Post --full --accept-deletions --accept-remote",
            .sync(
                .run(
                    with(.init()) {
                        $0.pushes = false
                        $0.models = ["Post"]
                        $0.isFull = true
                        $0.acceptsDeletions = true
                        $0.acceptsRemote = true
                    }))),
        Case("sync push", .sync(.run(with(.init()) { $0.pulls = false }))),
        Case("sync Post", .sync(.run(with(.init()) { $0.models = ["Post"] }))),
        Case("sync pause", .sync(.pause)),
        Case("sync resume", .sync(.resume)),
        Case("status", .status),
        Case("queue", .queue(.list)),
        Case("queue list", .queue(.list)),
        Case("queue show 7", .queue(.show(7))),
        Case("queue retry all", .queue(.retry(.all, delivers: false))),
        Case("queue retry 1 2 --deliver", .queue(.retry(.numbers([1, 2]), delivers: true))),
        Case("queue drop 4", .queue(.drop(.numbers([4])))),
        Case("queue edit 4 title=x", .queue(.edit(4, Values(items: ["title=x"]), delivers: false))),
        Case("conflicts", .conflicts(.list)),
        Case("conflicts show Post 1", .conflicts(.show(model: "Post", keys: ["1"]))),
        Case(
            "conflicts resolve Post 1 --local",
            .conflicts(.resolve(.init(model: "Post", keys: ["1"], choice: .local)))),
        Case(
            "conflicts resolve Post --remote 1",
            .conflicts(.resolve(.init(model: "Post", keys: ["1"], choice: .remote)))),
        Case(
            "conflicts resolve Post 1 title=x",
            .conflicts(
                .resolve(
                    .init(
                        model: "Post", keys: ["1"], choice: .values(Values(items: ["title=x"])))))),
        Case("quarantine", .quarantine(.list)),
        Case("quarantine show 1", .quarantine(.show(1))),
        Case("quarantine retry all", .quarantine(.retry(.all))),
        Case("quarantine drop 1 2", .quarantine(.drop([1, 2]))),
        Case("watch", .watch(WatchRequest())),
        Case(
            "watch Post where a = 1 sort a limit 3 --since 12 --sync",
            .watch(
                with(WatchRequest(model: "Post")) {
                    $0.filter = "a = 1"
                    $0.sort = [SortWord("a")]
                    $0.limit = 3
                    $0.since = "12"
                    $0.syncs = true
                })),
        Case("log", .log(LogRequest())),
        Case("log limit 5", .log(with(LogRequest()) { $0.limit = 5 })),
        Case(
            "log Post 1 limit 5 --since 9",
            .log(
                with(LogRequest(model: "Post")) {
                    $0.keys = ["1"]
                    $0.limit = 5
                    $0.since = "9"
                })),
    ]

    static let setup: [Case] = [
        Case("schema", .schema(.show(model: nil))),
        Case("schema show Post", .schema(.show(model: "Post"))),
        Case("schema check x.graphql", .schema(.check(.file("x.graphql")))),
        Case("schema pull", .schema(.pull)),
        Case("schema graph", .schema(.graph(.mermaid))),
        Case("schema graph -o dot", .schema(.graph(.dot))),
        Case("-o svg schema graph", .schema(.graph(.svg))),
        Case("init", .initialise(InitRequest())),
        Case(
            "init here --demo",
            .initialise(
                with(InitRequest()) {
                    $0.directory = "here"
                    $0.start = .demo
                })),
        Case(
            "init --schema s.graphql --backend folder --set path=../r --set a=b=c",
            .initialise(
                with(InitRequest()) {
                    $0.start = .schema("s.graphql")
                    $0.backend = "folder"
                    $0.settings = [Pair("path", "../r"), Pair("a", "b=c")]
                })),
        Case("init --amplify .", .initialise(with(InitRequest()) { $0.start = .amplify(".") })),
        Case("config", .config(.list)),
        Case("config get sync", .config(.get("sync"))),
        Case("config set sync auto", .config(.set("sync", "auto"))),
        Case("config path", .config(.path)),
        Case("context", .context(.list)),
        Case("context use blog", .context(.use("blog"))),
        Case(
            "context add blog --backend folder --set path=r",
            .context(.add(name: "blog", backend: "folder", settings: [Pair("path", "r")]))),
        Case("context remove blog", .context(.remove("blog"))),
        Case("auth", .auth(.status)),
        Case("auth login", .auth(.login)),
        Case("auth logout", .auth(.logout)),
        Case("plugin", .plugin(.list)),
        Case("plugin info folder", .plugin(.info("folder"))),
        Case(
            "plugin test --level read -- python3 -u x.py",
            .plugin(.test(["python3", "-u", "x.py"], .read, settings: []))),
        Case("plugin new mine --language sh", .plugin(.new("mine", .sh))),
        Case("trust", .trust),
        Case("doctor", .doctor),
        Case("help", .help(topic: [])),
        Case("help queue", .help(topic: ["queue"])),
        Case("history", .history(count: nil)),
        Case("history 5", .history(count: 5)),
        Case("set", .set(nil)),
        Case("set output json", .set(SetRequest("output", "json"))),
        Case("source x.satchel", .source(.file("x.satchel"))),
        Case("completion bash", .completion(.bash)),
        Case("exit", .exit),
        Case(
            "__complete zsh 2 -- satchel list -o",
            .complete(
                CompleteRequest(shell: .zsh, words: ["satchel", "list", "-o"], current: 2))),
    ]

    static let options: [Case] = [
        Case("--help", .help(topic: [])),
        Case("create --help", .help(topic: ["create"])),
        Case("--version", .version),
        Case(
            "-w /x -c blog -o json --offline --yes --no-input --dry-run -q -v --timeout 2.5 --color never --meta status",
            .status
        ) {
            $0.workspace = "/x"
            $0.context = "blog"
            $0.format = .json
            $0.isOffline = true
            $0.assumesYes = true
            $0.noInput = true
            $0.isDryRun = true
            $0.isQuiet = true
            $0.isVerbose = true
            $0.timeoutMilliseconds = 2500
            $0.color = .never
            $0.showsMeta = true
        },
        Case("status --workspace=/x --output=ndjson", .status) {
            $0.workspace = "/x"
            $0.format = .ndjson
        },
        Case("status -w/x -ocsv -c=blog", .status) {
            $0.workspace = "/x"
            $0.format = .csv
            $0.context = "blog"
        },
    ]
}
