import JSON
import Records
import Testing

@Suite struct `A record of plain words` {
    static let plain: [[String]] = [
        ["title=Hello"],
        ["title=", "rating=0"],
        ["rating=4", "title=a=b", "status=DRAFT", "score=1e3", "done=true"],
        ["title=x", "tags=[\"a\"]", "address={\"city\":\"Bonn\"}", "meta={}"],
        ["at=2026-11-30T02:04:13Z", "title=é\u{301}", "id=7", "authorID=a"],
    ]

    static let odd: [[String]] = [
        [],
        ["rating=3"],
        ["title"],
        ["title=a", "title=b"],
        ["title=@file"],
        ["title:=\"a\""],
        ["title=a", "tags+=b"],
        ["title=a", "address.city=Bonn"],
        ["title=a", "author=b"],
        ["title=a", "created=2026-11-30T02:04:13Z"],
        ["title=a", "nope=1"],
        ["title=a", "rating=four"],
        ["title=a", "status=draft"],
        ["titles=a"],
    ]

    private func quick(_ words: [String]) -> JSONObject? {
        Sample.post.record(plain: words, in: Sample.schema) { "new" }
    }

    private func slow(_ words: [String]) throws(RecordsError) -> JSONObject {
        var items: [Item] = []
        for word in words { items.append(try Item.parse(word)) }
        let set = try items.changes(to: Sample.post, current: nil, in: Sample.schema)
        return try Sample.post.complete(create: set) { "new" }
    }

    @Test(arguments: plain) func `is what its items make`(_ words: [String]) throws {
        let record = try #require(quick(words))
        let expected = try slow(words)
        #expect(JSONValue.object(record).serialized() == JSONValue.object(expected).serialized())
    }

    @Test(arguments: odd) func `leaves everything else to its items`(_ words: [String]) {
        #expect(quick(words) == nil)
    }
}
