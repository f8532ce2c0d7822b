import JSON
import Records
import Testing

@Suite struct `A typed item` {
    static let words: [(String, Item)] = [
        ("title=Hello", Item("title", .set("Hello"))),
        ("title=", Item("title", .set(""))),
        ("title=a:=b+=c", Item("title", .set("a:=b+=c"))),
        ("title==x", Item("title", .set("=x"))),
        ("tags:=[1]", Item("tags", .setJSON("[1]"))),
        ("tags:=", Item("tags", .setJSON(""))),
        ("body=@a b.txt", Item("body", .setFile("a b.txt"))),
        ("body=@-", Item("body", .setFile("-"))),
        ("meta:=@m.json", Item("meta", .setJSONFile("m.json"))),
        ("tags+=new", Item("tags", .add("new"))),
        ("tags+=@x", Item("tags", .add("@x"))),
        ("n-=1", Item("n", .subtract("1"))),
        ("address.geo.lat=1", Item("address", parts: ["geo", "lat"], .set("1"))),
        ("a1_B.c2:=1", Item("a1_B", parts: ["c2"], .setJSON("1"))),
        ("name=é\u{301}", Item("name", .set("é\u{301}"))),
    ]

    @Test(arguments: words) func `is split at its leftmost operator`(word: String, item: Item)
        throws
    {
        #expect(try Item.parse(word) == item)
    }

    static let wrong: [(String, String, String)] = [
        ("title", "\"title\" sets nothing", "write title=VALUE"),
        ("", "\"\" sets nothing", "write FIELD=VALUE"),
        ("=x", "\"=x\" names no field", "write FIELD=VALUE"),
        (":=x", "\":=x\" names no field", "write FIELD=VALUE"),
        ("a b=x", "\"a b\" is no field name", "fields with other names go through --data"),
        ("a:b=x", "\"a:b\" is no field name", "fields with other names go through --data"),
        ("a.=x", "\"a.\" is no field name", "fields with other names go through --data"),
        (".a=x", "\".a\" is no field name", "fields with other names go through --data"),
        ("1a=x", "\"1a\" is no field name", "fields with other names go through --data"),
        ("é=x", "\"é\" is no field name", "fields with other names go through --data"),
        ("a..b+=x", "\"a..b\" is no field name", "fields with other names go through --data"),
    ]

    @Test(arguments: wrong) func `that is none is explained`(
        word: String, message: String, hint: String
    ) {
        let error = #expect(throws: RecordsError.self) { try Item.parse(word) }
        #expect(error == RecordsError(.syntax, message, hint: hint))
    }

    @Test func `names the file that the caller reads`() throws {
        let item = try Item.parse("meta:=@m.json")
        #expect(item.file == "m.json")
        #expect(item.reading("[1]") == Item("meta", .setJSON("[1]")))
        #expect(try Item.parse("title=@x").reading("text\n") == Item("title", .set("text\n")))
        #expect(try Item.parse("title=x").file == nil)
    }
}

@Suite struct `What items change` {
    private func changes(
        _ words: [String], unset: [String] = [], model: String = "Post", current: JSONObject? = nil
    ) throws(RecordsError) -> JSONObject {
        var items: [Item] = []
        for word in words { items.append(try Item.parse(word)) }
        for key in unset { items.append(try Item.unset(key)) }
        return try items.changes(to: Sample.model(model), current: current, in: Sample.schema)
    }

    private static let current = JSONObject([
        ("id", "1"), ("title", "old"), ("rating", 3), ("tags", ["a", "b", "a"]),
        ("address", ["city": "Bonn", "street": "Ring"]), ("done", nil),
    ])

    static let updates: [(String, JSONObject)] = [
        ("title=new", JSONObject([("title", "new")])),
        ("title=old", JSONObject()),
        ("rating+=2", JSONObject([("rating", 5)])),
        ("rating-=4", JSONObject([("rating", -1)])),
        ("score+=0.5", JSONObject([("score", .double(0.5))])),
        ("stamp+=1", JSONObject([("stamp", 1)])),
        ("tags+=c", JSONObject([("tags", ["a", "b", "a", "c"])])),
        ("tags-=a", JSONObject([("tags", ["b"])])),
        ("tags-=x", JSONObject()),
        ("tags:=[]", JSONObject([("tags", [])])),
        ("done:=null", JSONObject()),
        ("rating:=null", JSONObject([("rating", nil)])),
        ("address.city=Köln", JSONObject([("address", ["city": "Köln", "street": "Ring"])])),
        ("author=a1", JSONObject([("authorID", "a1")])),
        ("author:=\"a1\"", JSONObject([("authorID", "a1")])),
        ("author:=null", JSONObject()),
        ("meta={}", JSONObject([("meta", "{}")])),
        ("meta:={\"a\":1}", JSONObject([("meta", "{\"a\":1}")])),
    ]

    @Test(arguments: updates) func `of a record is what differs`(word: String, set: JSONObject)
        throws
    {
        #expect(try changes([word], current: Self.current) == set)
    }

    @Test func `follows the order of the items`() throws {
        #expect(
            try changes(["tags:=[]", "tags+=x", "tags+=y", "tags-=x"], current: Self.current)
                == JSONObject([("tags", ["y"])]))
        #expect(
            try changes(["address.geo.lat=1", "address.geo.lon=2", "address.city=B"])
                == JSONObject([("address", ["geo": ["lat": 1, "lon": 2], "city": "B"])]))
    }

    @Test func `may unset fields, parts and relations`() throws {
        #expect(
            try changes([], unset: ["rating", "address.street"], current: Self.current)
                == JSONObject([("rating", nil), ("address", ["city": "Bonn", "street": nil])]))
        #expect(
            try changes([], unset: ["author"], current: JSONObject([("authorID", "a")]))
                == JSONObject([("authorID", nil)]))
        #expect(
            try changes([], unset: ["line"], model: "Comment")
                == JSONObject([("commentLineOrder", nil), ("commentLineNumber", nil)]))
    }

    @Test func `sets a composite foreign key from an array`() throws {
        #expect(
            try changes(["line=[\"c\",7]", "post=p"], model: "Comment")
                == JSONObject([
                    ("commentLineOrder", "c"), ("commentLineNumber", 7), ("postCommentsId", "p"),
                ]))
    }

    static let wrong: [(String, String)] = [
        ("titel=x", "Post has no field \"titel\""),
        ("id=x", "id is the key of Post: it cannot change"),
        ("created=2026-01-01T00:00:00Z", "created of Post is read-only: the backend sets it"),
        ("title.a=x", "title has no part \"a\": it is String"),
        ("address.cty=x", "address: Address has no \"cty\""),
        ("address.geo.lat=x", "address.geo.lat: \"x\" is no Float"),
        ("address.geo.lat=1", "address.geo: lon of Geo is required"),
        ("author.name=x", "author.name: author is a relation: only its id is set here"),
        ("author+=x", "author is a relation: it takes an id"),
        ("author=", "author: the empty string is no ID"),
        ("comments=x", "comments of Post is kept in Comment: it cannot be set here"),
        ("title+=x", "title is String: += is for lists and numbers"),
        ("rating+=x", "rating: \"x\" is no Int"),
        ("rating+=9223372036854775807", "rating: 3 + 9223372036854775807 cannot be kept exactly"),
        ("title:=x", "title: no JSON: "),
        ("title:=null", "title is required: it cannot be null"),
        ("title=@f", "title: the file f was not read"),
        ("status=draft", "status: \"draft\" is no Status"),
    ]

    @Test(arguments: wrong) func `is refused with the field's name`(word: String, message: String) {
        let error = #expect(throws: RecordsError.self) {
            try changes([word], current: Self.current)
        }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test func `never takes one field twice`() {
        for words in [
            ["title=a", "title=b"], ["author=a", "authorID=b"], ["authorID=a", "author=b"],
        ] {
            let error = #expect(throws: RecordsError.self) { try changes(words) }
            #expect(error?.kind == .syntax)
        }
    }

    @Test func `can be the id of a record`() throws {
        let line = Sample.model("Line")
        func id(_ words: [String]) throws(RecordsError) -> RecordID {
            var items: [Item] = []
            for word in words { items.append(try Item.parse(word)) }
            return try items.recordID(of: line, in: Sample.schema)
        }
        #expect(try id(["number:=7", "order=c1"]) == RecordID("[\"c1\",7]"))
        #expect(
            throws: RecordsError(.syntax, "the id of Line lacks number", hint: "add number=VALUE")
        ) {
            try id(["order=c1"])
        }
        #expect(
            throws: RecordsError(
                .syntax, "note is no part of the key of Line", hint: "its key is order, number")
        ) {
            try id(["order=c1", "number=1", "note=x"])
        }
    }
}
