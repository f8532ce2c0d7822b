import Shell
import ShellProbe
import Testing

@Suite struct `Completing a word` {
    struct Case: CustomTestStringConvertible {
        var line: String
        var found: [String]
        var testDescription: String { line }

        init(_ line: String, _ found: String...) {
            self.line = line
            self.found = found
        }
    }

    /// The whole words that may stand in the place of the line's last one.
    func found(_ line: String, for asker: Completer.Asker = .prompt) -> Completions {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Completer(ToyData(), for: asker).completions(
            after: Array(words.dropLast()), current: words.last ?? "")
    }

    static let table = [
        Case("cre", "create"), Case("con", "conflicts", "config", "context"),
        Case("list P", "Post"), Case("list X"), Case("list Post wh", "where"),
        Case("list Post limit 3 o", "offset"),
        Case(
            "list Post sort ", "id", "title", "rating", "status", "isPublic", "tags", "authorID",
            "createdAt"),
        Case("list Post sort -ra", "-rating"), Case("list Post sort -rating,ti", "-rating,title"),
        Case("list Post fields id,i", "id,isPublic"), Case("list Post include a", "author"),
        Case("list Post include author.p", "author.posts"),
        Case("list Post limit "),
        Case("list Post where ra", "rating"), Case("list Post where _", "_state", "_version"),
        Case(
            "list Post where rating ", "=", "!=", "<", "<=", ">", ">=", "~", "!~", "in", "between",
            "startswith", "is"),
        Case("list Post where tags h", "has"),
        Case("list Post where status = ", "DRAFT", "PUBLISHED", "GONE"),
        Case("list Post where status=D", "status=DRAFT"),
        Case("list Post where status in (DRAFT,P", "(DRAFT,PUBLISHED"),
        Case("list Post where (sta", "(status"),
        Case(
            "list Post where rating = 3 ", "and", "or", "sort", "limit", "offset", "fields",
            "include"),
        Case("list Post where rating = 3 and sta", "status"),
        Case("list Post where rating between 1 and 3 a", "and"),
        Case("list Post where author.n", "author.name"),
        Case("list Author where posts.c", "posts.count", "posts.createdAt"),
        Case("list Post where author", "authorID", "author."),
        Case("list Post where rating is n", "null", "not"),
        Case("list Post where _state = p", "pending"),
        Case("list Post where isPublic = t", "true"),
        Case("list Post where authorID = a", "a1", "a2"),
        Case("get Post 0190", "0190c2aa", "0190c2bb"), Case("get Post hel", "0190c2aa", "0190c2bb"),
        Case("get Post 0190c2aa 0190", "0190c2bb"), Case("get Order cu", "customer="),
        Case("delete Post ze", "0191ffff"), Case("delete Post wh", "where"),
        Case("create Post ti", "title="), Case("create Post title=x t", "tags="),
        Case("create Post createdA"),
        Case("create Post status=", "status=DRAFT", "status=PUBLISHED", "status=GONE"),
        Case("create Post status:=D", "status:=DRAFT"),
        Case("create Post isPublic=f", "isPublic=false"),
        Case("create Post author=an", "author=a1"),
        Case("create Post authorID=a", "authorID=a1", "authorID=a2"),
        Case("create Post title=@po", "title=@posts.csv", "title=@posts/"),
        Case("create Post --unset ra", "rating"),
        Case("create Post --data @sch", "@schema.graphql"),
        Case("update Post 0191", "0191ffff"), Case("update Post 0191ffff st", "status="),
        Case("update Post where rating = 1 set ti", "title="),
        Case("update Post where rating = 1 s", "set"),
        Case("import P", "Post"), Case("import Post po", "posts.csv", "posts/"),
        Case("import --all po", "posts.csv", "posts/"),
        Case("import Post x --format ", "json", "ndjson", "csv", "tsv"),
        Case("export Post ", "Author", "Tag", "Order"),
        Case("sync pu", "pull", "push"), Case("sync pull Po", "Post"),
        Case("queue ", "list", "show", "retry", "drop", "edit"),
        Case("queue retry ", "7", "12", "all"),
        Case("queue retry 7 ", "12"), Case("queue show 7 "), Case("queue list "),
        Case("conflicts resolve Post ", "0190c2aa"),
        Case("conflicts resolve Post 0190c2aa ti", "title="),
        Case("conflicts resolve Post 0190c2aa --l", "--local"),
        Case("quarantine drop ", "1", "all"),
        Case("schema sh", "show"), Case("schema show Au", "Author"),
        Case("schema graph -o ", "mermaid", "dot", "svg"),
        Case("list Post -o js", "json"), Case("list Post --output=c", "--output=csv"),
        Case("list Post --off", "--offline"), Case("list Post --ful"), Case("sync --ful", "--full"),
        Case("-c b", "blog"), Case("-o json st", "status"), Case("context use d", "default"),
        Case("init --backend f", "folder"), Case("config set contexts.default.sync a", "auto"),
        Case("config get s", "schema"), Case("help qua", "quarantine"), Case("completion z", "zsh"),
        Case("set out", "output"), Case("set output y", "yaml"), Case("xyzzy "),
        Case("list Post -- --"),
    ]

    @Test(arguments: table) func `finds what fits there`(_ case: Case) {
        #expect(found(`case`.line).candidates.map(\.value) == `case`.found)
    }

    @Test func `offers words for operators to a shell, where > writes a file`() {
        let words = found("list Post where rating ", for: .shell).candidates.map(\.value)
        #expect(words.prefix(7) == ["eq", "ne", "lt", "le", "gt", "ge", "like"])
    }

    @Test func `leaves files to a shell`() {
        let completions = found("import Post po", for: .shell)
        #expect(completions.includesFiles && completions.candidates.isEmpty)
    }

    @Test func `completes a filter within one word`() {
        let completions = Completer(ToyData(), for: .shell).completions(
            after: ["list", "Post", "--where"], current: "rating ge 3 and status = PU")
        #expect(completions.candidates.map(\.value) == ["rating ge 3 and status = PUBLISHED"])
    }

    @Test func `goes on after a name that wants more`() {
        #expect(found("create Post ti").goesOn)
        #expect(!found("create Post status=D").goesOn)
    }

    @Test func `shows what an id stands for`() {
        #expect(found("get Post 0191").candidates == [Candidate("0191ffff", "Zebra")])
    }

    @Test func `answers a shell in lines`() {
        let completer = Completer(ToyData(), for: .shell)
        let reply = completer.reply(
            to: CompleteRequest(
                shell: .bash, words: ["satchel", "get", "Post", "0191"], current: 3))
        #expect(reply == "0191ffff\tZebra\n:\n")
        let none = completer.reply(
            to: CompleteRequest(shell: .bash, words: ["satchel", "create", "Post"], current: 3))
        #expect(none.hasSuffix("\n:nospace\n"))
    }
}
